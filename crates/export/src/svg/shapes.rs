//! Lines and blocks that have to meet those of the cells around them. Fonts draw them with gaps between rows, and some
//! not as wide as a cell; here they are shapes that fill their cell exactly.

use super::markup::{CELL_HEIGHT, CELL_WIDTH};

/// The arms of the box drawings from U+2500 on, one octal digit each: left, up, right, down; 0 none, 1 light, 2 heavy.
/// Those without arms (dashes, double lines, arcs, diagonals) are not lines of this kind.
#[rustfmt::skip]
const BOXES: [u16; 128] = [
    0o1010, 0o2020, 0o0101, 0o0202, 0, 0, 0, 0,
    0, 0, 0, 0, 0o0011, 0o0021, 0o0012, 0o0022,
    0o1001, 0o2001, 0o1002, 0o2002, 0o0110, 0o0120, 0o0210, 0o0220,
    0o1100, 0o2100, 0o1200, 0o2200, 0o0111, 0o0121, 0o0211, 0o0112,
    0o0212, 0o0221, 0o0122, 0o0222, 0o1101, 0o2101, 0o1201, 0o1102,
    0o1202, 0o2201, 0o2102, 0o2202, 0o1011, 0o2011, 0o1021, 0o2021,
    0o1012, 0o2012, 0o1022, 0o2022, 0o1110, 0o2110, 0o1120, 0o2120,
    0o1210, 0o2210, 0o1220, 0o2220, 0o1111, 0o2111, 0o1121, 0o2121,
    0o1211, 0o1112, 0o1212, 0o2211, 0o1221, 0o2112, 0o1122, 0o2221,
    0o2122, 0o2212, 0o1222, 0o2222, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0o1000, 0o0100, 0o0010, 0o0001,
    0o2000, 0o0200, 0o0020, 0o0002, 0o1020, 0o0102, 0o2010, 0o0201,
];

const WIDTH: f64 = CELL_WIDTH as f64;
const HEIGHT: f64 = CELL_HEIGHT as f64;

/// Where a light line begins and ends, across: a pixel in the middle of the cell.
const LIGHT_X: [f64; 2] = [4.0, 5.0];
const LIGHT_Y: [f64; 2] = [9.0, 10.0];
/// The same for a heavy line.
const HEAVY_X: [f64; 2] = [3.0, 6.0];
const HEAVY_Y: [f64; 2] = [8.0, 11.0];

/// Whether a character is drawn as a shape.
pub(super) fn is_shape(c: char) -> bool {
    match c {
        '\u{2500}'..='\u{257f}' => arms(c).is_some() || arc(c).is_some(),
        '\u{2580}'..='\u{2590}' | '\u{2594}'..='\u{259f}' => true,
        _ => false,
    }
}

/// Whether several of a character beside each other are one wide shape.
pub(super) fn is_wide(c: char) -> bool {
    matches!(c, '\u{2500}' | '\u{2501}' | '\u{2580}'..='\u{2588}' | '\u{2594}')
}

/// The shape of so many of a character beside each other, as the commands of a path. The upper left corner is at
/// `(left, top)`.
pub(super) fn path(c: char, count: u16, (left, top): (i64, i64)) -> String {
    let width = WIDTH * f64::from(count);
    let rect = |[x, y, right, bottom]: [f64; 4]| {
        let (w, h) = (right - x, bottom - y);
        format!("M{} {}h{w}v{h}h-{w}z", left as f64 + x, top as f64 + y)
    };
    if let Some((to_right, to_bottom)) = arc(c) {
        return arc_path(to_right, to_bottom, (left as f64, top as f64));
    }
    match arms(c) {
        Some(arms) => lines(arms, width).into_iter().map(rect).collect(),
        None => block(c, width).into_iter().map(rect).collect(),
    }
}

/// Left, up, right, down.
fn arms(c: char) -> Option<[u16; 4]> {
    let code = *BOXES.get((c as usize).checked_sub(0x2500)?)?;
    (code != 0).then(|| [code >> 9, code >> 6, code >> 3, code].map(|arm| arm & 7))
}

fn lines(arms: [u16; 4], width: f64) -> Vec<[f64; 4]> {
    let across = |weight: u16, light: [f64; 2], heavy: [f64; 2]| if weight == 2 { heavy } else { light };
    let [left, up, right, down] = arms;
    // Each arm ends where the thickest line across it does, so that corners are filled.
    let [x0, x1] = across(up.max(down), LIGHT_X, HEAVY_X);
    let [y0, y1] = across(left.max(right), LIGHT_Y, HEAVY_Y);
    let mut rects = Vec::new();
    if left == right && left != 0 {
        let [top, bottom] = across(left, LIGHT_Y, HEAVY_Y);
        rects.push([0.0, top, width, bottom]);
    } else {
        for (weight, from, to) in [(left, 0.0, x1), (right, x0, width)] {
            let [top, bottom] = across(weight, LIGHT_Y, HEAVY_Y);
            rects.extend((weight != 0).then_some([from, top, to, bottom]));
        }
    }
    if up == down && up != 0 {
        let [from, to] = across(up, LIGHT_X, HEAVY_X);
        rects.push([from, 0.0, to, HEIGHT]);
    } else {
        for (weight, top, bottom) in [(up, 0.0, y1), (down, y0, HEIGHT)] {
            let [from, to] = across(weight, LIGHT_X, HEAVY_X);
            rects.extend((weight != 0).then_some([from, top, to, bottom]));
        }
    }
    rects
}

/// Whether a rounded corner leads to the right, and whether to the bottom.
fn arc(c: char) -> Option<(bool, bool)> {
    match c {
        '\u{256d}' => Some((true, true)),
        '\u{256e}' => Some((false, true)),
        '\u{256f}' => Some((false, false)),
        '\u{2570}' => Some((true, false)),
        _ => None,
    }
}

fn arc_path(to_right: bool, to_bottom: bool, (left, top): (f64, f64)) -> String {
    // Both ends are where straight lines begin; `out` is the side of the curve that looks away from its middle.
    let ([x_out, x_in], end_x) = if to_right { (LIGHT_X, WIDTH) } else { ([LIGHT_X[1], LIGHT_X[0]], 0.0) };
    let ([y_out, y_in], end_y) = if to_bottom { (LIGHT_Y, HEIGHT) } else { ([LIGHT_Y[1], LIGHT_Y[0]], 0.0) };
    let bend_y = if to_bottom { y_in + 4.0 } else { y_in - 4.0 };
    let [x_out, x_in, end_x] = [x_out, x_in, end_x].map(|x| left + x);
    let [y_out, y_in, end_y, bend_y] = [y_out, y_in, end_y, bend_y].map(|y| top + y);
    format!(
        "M{x_out} {end_y}V{bend_y}Q{x_out} {y_out} {end_x} {y_out}V{y_in}Q{x_in} {y_in} {x_in} {bend_y}V{end_y}z"
    )
}

/// A part of the cell that is filled.
fn block(c: char, width: f64) -> Vec<[f64; 4]> {
    let (middle_x, middle_y) = (WIDTH / 2.0, HEIGHT / 2.0);
    let eighths = |first: char| f64::from(c as u32 - first as u32 + 1) / 8.0;
    match c {
        '\u{2580}' => vec![[0.0, 0.0, width, middle_y]],
        '\u{2581}'..='\u{2588}' => vec![[0.0, HEIGHT * (1.0 - eighths('\u{2581}')), width, HEIGHT]],
        '\u{2589}'..='\u{258f}' => vec![[0.0, 0.0, WIDTH * (1.0 - eighths('\u{2589}')), HEIGHT]],
        '\u{2590}' => vec![[middle_x, 0.0, WIDTH, HEIGHT]],
        '\u{2594}' => vec![[0.0, 0.0, width, HEIGHT / 8.0]],
        '\u{2595}' => vec![[WIDTH * 7.0 / 8.0, 0.0, WIDTH, HEIGHT]],
        _ => {
            let quarters = [
                [0.0, 0.0, middle_x, middle_y],
                [middle_x, 0.0, WIDTH, middle_y],
                [0.0, middle_y, middle_x, HEIGHT],
                [middle_x, middle_y, WIDTH, HEIGHT],
            ];
            let filled = quadrants(c);
            quarters
                .into_iter()
                .enumerate()
                .filter(|(n, _)| filled >> n & 1 == 1)
                .map(|(_, rect)| rect)
                .collect()
        }
    }
}

/// Which quarters are filled, a bit for each: upper left, upper right, lower left, lower right.
fn quadrants(c: char) -> u8 {
    match c {
        '\u{2596}' => 0b0100,
        '\u{2597}' => 0b1000,
        '\u{2598}' => 0b0001,
        '\u{2599}' => 0b1101,
        '\u{259a}' => 0b1001,
        '\u{259b}' => 0b0111,
        '\u{259c}' => 0b1011,
        '\u{259d}' => 0b0010,
        '\u{259e}' => 0b0110,
        '\u{259f}' => 0b1110,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_reach_the_edges_that_they_lead_to() {
        assert_eq!(path('\u{2500}', 3, (0, 0)), "M0 9h27v1h-27z");
        assert_eq!(path('\u{2502}', 1, (9, 18)), "M13 18h1v18h-1z");
        assert_eq!(path('\u{250c}', 1, (0, 0)), "M4 9h5v1h-5zM4 9h1v9h-1z");
        assert_eq!(path('\u{2523}', 1, (0, 0)), "M3 8h6v3h-6zM3 0h3v18h-3z");
        assert_eq!(path('\u{256d}', 1, (0, 0)), "M4 18V14Q4 9 9 9V10Q5 10 5 14V18z");
    }

    #[test]
    fn blocks_fill_their_part() {
        assert_eq!(path('\u{2588}', 2, (0, 0)), "M0 0h18v18h-18z");
        assert_eq!(path('\u{2584}', 1, (0, 0)), "M0 9h9v9h-9z");
        assert_eq!(path('\u{258c}', 1, (0, 0)), "M0 0h4.5v18h-4.5z");
        assert_eq!(path('\u{259a}', 1, (0, 0)), "M0 0h4.5v9h-4.5zM4.5 9h4.5v9h-4.5z");
    }

    #[test]
    fn every_shape_has_something_to_draw_and_the_rest_is_left_to_fonts() {
        for c in ('\u{2500}'..='\u{259f}').filter(|c| is_shape(*c)) {
            assert!(path(c, 1, (0, 0)).starts_with('M'), "{c}");
        }
        let left: String = ('\u{2500}'..='\u{259f}').filter(|c| !is_shape(*c)).collect();
        assert!(
            left.contains('\u{2550}') && left.contains('\u{2591}') && left.contains('\u{2504}'),
            "{left}"
        );
        assert!(!is_shape('a') && !is_shape('\u{65e5}'));
    }
}
