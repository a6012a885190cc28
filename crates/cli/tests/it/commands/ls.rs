//! `abide ls`

use serde_json::{Value, json};
use testkit::Watcher;

use crate::house::House;

#[test]
fn a_list_for_programs_has_everything_about_every_worker() {
    let house = House::new();
    house.worker_with(&["--name", "over"], &["sh", "-c", "exit 3"]).wait_for_exit();
    house.worker_with(&["--name", "shot"], &["sh", "-c", "kill -KILL $$"]).wait_for_exit();
    let worker = house.worker_with(
        &["--name", "live", "--size", "70x20", "--cwd", "/"],
        &["sh", "-c", r"printf '\033]2;its title\007'; echo ready; cat"],
    );
    let mut watcher = Watcher::at_keyboard(&worker, 71, 21);
    watcher.wait_for("ready");

    let list: Value = serde_json::from_str(&house.output(["ls", "--json"])).unwrap();
    let list = list.as_array().unwrap();
    assert_eq!(list.iter().map(|worker| &worker["name"]).collect::<Vec<_>>(), ["over", "shot", "live"]);
    assert_eq!(list[0]["state"]["kind"], "exited");
    assert_eq!(list[0]["state"]["exitCode"], 3);
    assert_eq!(list[0]["stateText"], "exited 3");
    assert_eq!(list[0]["survivors"], 0);
    assert_eq!(list[1]["state"]["exitCode"], 128 + 9);
    let live = &list[2];
    assert_eq!(live["id"], worker.dir.id().as_str());
    assert_eq!(live["state"], json!({ "kind": "live" }));
    assert_eq!(live["cwd"], "/");
    assert_eq!(live["command"][0], "sh");
    assert_eq!(live["size"], json!({ "cols": 71, "rows": 21 }));
    assert_eq!(live["host"]["program"]["title"], "its title");
    assert_eq!(live["host"]["viewers"].as_array().unwrap().len(), 1);

    let words = house.output(["ls"]);
    let line = words.lines().find(|line| line.starts_with("live ")).unwrap();
    assert!(line.contains("71x21") && line.contains("its title"), "{words}");
    assert_eq!(house.output([] as [&str; 0]).lines().count(), 4, "bare `abide` lists them as well");
}
