//! Examples that are no secrets until they are spelled out.
//!
//! Scanners on code hosts take anything that looks like a key for one. So examples have placeholders:
//! `{{A20}}` stands for twenty letters and digits, `{{h40}}` for hexadecimal digits, `{{U16}}` for capitals and
//! digits, `{{d9}}` for decimal digits, `{{b44}}` for base64.

/// Spells out the placeholders of an example. What is no placeholder stays as it is.
pub(super) fn spell_out(example: &str) -> String {
    let mut out = String::new();
    let mut rest = example;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let spelled = after.split_once("}}").and_then(|(inner, after)| Some((run(inner)?, after)));
        match spelled {
            Some((text, after)) => {
                out.push_str(&text);
                rest = after;
            }
            None => {
                out.push_str("{{");
                rest = after;
            }
        }
    }
    out + rest
}

/// So many characters of an alphabet, in an order that no dictionary has.
fn run(placeholder: &str) -> Option<String> {
    const MIXED: &str = "q7Zt2XbK9mR4vLd8HwPf3NsJ6yGc5TaQ1xVe0UkWzBhDnMuCpErSgFiYjAoIlO";
    let kind = placeholder.chars().next()?;
    let length: usize = placeholder.get(1..)?.parse().ok().filter(|&length| length <= 4096)?;
    let alphabet: Vec<char> = match kind {
        'A' => MIXED.chars().collect(),
        'U' => MIXED.chars().filter(|c| !c.is_ascii_lowercase()).collect(),
        'h' => "3f9a0c7e1b5d8264".chars().collect(),
        'd' => "6180339874".chars().collect(),
        'b' => MIXED.chars().chain("+/".chars()).collect(),
        _ => return None,
    };
    Some(alphabet.into_iter().cycle().take(length).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_spelled_out_and_the_rest_stays() {
        assert_eq!(spell_out("key-{{h6}}!"), "key-3f9a0c!");
        assert_eq!(spell_out("{{d3}}{{U2}}"), "6187Z");
        assert_eq!(spell_out("{{x3}} {{ }} {{"), "{{x3}} {{ }} {{");
    }
}
