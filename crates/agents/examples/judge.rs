#[path = "../tests/it/judge.rs"]
mod judge;
use agents::*;
use judge::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let verbose = std::env::var("V").is_ok();
    let agents = Agents::builtin();
    for f in &a[1..] {
        let (f, id) = match f.split_once('=') {
            Some((f, i)) => (f.to_string(), i.to_string()),
            None => (
                f.clone(),
                std::path::Path::new(f)
                    .file_name()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .split(['-', '.'])
                    .next()
                    .unwrap()
                    .to_string(),
            ),
        };
        let cast = std::fs::read(&f).unwrap();
        let hooks = std::fs::read_to_string(f.replace(".cast", ".hooks.jsonl"))
            .map(|t| {
                t.lines()
                    .map(|l| {
                        let v: serde_json::Value = serde_json::from_str(l).unwrap();
                        (std::time::Duration::from_secs_f64(v[0].as_f64().unwrap()), v[1].clone())
                    })
                    .collect::<Vec<_>>()
            })
            .unwrap_or_default();
        let r = Recording { cast, hooks };
        let id = if id == "shell" || id == "vim" { "generic".into() } else { id };
        let ag = agents.get(&id.parse().unwrap()).unwrap();
        use Evidence::*;
        let sets: Vec<(&str, Vec<Evidence>, bool)> = vec![
            ("all", vec![], false),
            ("no7501", vec![ProgramStatus], false),
            ("no7501/hook", vec![ProgramStatus, Hook], false),
            ("hook", vec![ProgramStatus, Title, Progress, Notification, Screen, PromptMark], false),
            ("title", vec![ProgramStatus, Hook, Progress, Notification, Screen, PromptMark], false),
            ("screen", vec![ProgramStatus, Hook, Title, Progress, Notification, PromptMark], false),
            ("gen:screen", vec![ProgramStatus, Hook, Title, Progress, Notification, PromptMark], true),
        ];
        println!("== {} ({})", f.rsplit('/').next().unwrap(), id);
        for (n, m, g) in sets {
            if n == "hook" && r.hooks.is_empty() {
                continue;
            }
            if let Ok(only) = std::env::var("ONLY") {
                if only != n {
                    continue;
                }
            }
            let t = std::time::Instant::now();
            let v = judge(&r, if g { agents.generic() } else { ag }, &m, |s| s.to_string());
            println!(
                "  {n:12} {:5.1}%  asks {}/{} slowest {:.2}s  false {} looks {} {:?}",
                v.share() * 100.,
                v.noticed,
                v.asks,
                v.slowest.as_secs_f64(),
                v.false_asking.len(),
                v.looks,
                t.elapsed()
            );
            if verbose {
                for m in &v.mistakes {
                    println!("      {m}");
                }
            }
            if std::env::var("VV").is_ok() {
                for c in &v.changes {
                    println!(
                        "      {:.2} {:?} {:?} {:?} {:?}",
                        c.at.as_secs_f64(),
                        c.state.activity,
                        c.state.source,
                        c.state.question,
                        c.turn
                    );
                }
            }
        }
    }
}
