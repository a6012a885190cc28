//! Forms in which secrets are written over several lines, in tables and in other languages.

use std::sync::Arc;

use masking::{Masker, Rules, apply};

use crate::common::{masked_with, masks, rules, size};

/// A secret that no rule knows by its form.
const SECRET: &str = "q7Zt2XbK9mR4";

/// Lines as a terminal gets them.
fn on_screen(lines: &[&str]) -> Vec<u8> {
    lines.join("\r\n").into_bytes()
}

/// Whether a text still shows a piece of one of the secrets.
fn shows(text: &[u8], secrets: &[&str]) -> bool {
    let text = String::from_utf8_lossy(text);
    secrets.iter().any(|secret| text.contains(secret))
}

/// Fails unless the secrets are masked: in plain text, in one piece and split at every byte, with a colour before each
/// character, and in narrow and low terminals. Lines behind them, and all other text, stay.
fn check_with(rules: &Arc<Rules>, lines: &[&str], secrets: &[&str]) {
    let what = lines.join("\n");
    let text = rules.mask_text(&what).into_owned();
    assert!(!shows(text.as_bytes(), secrets), "as text: {text}");
    let bytes = on_screen(lines);
    let whole = masks(rules, size(200, 24), [&bytes[..]]);
    let masked = masked_with(rules, size(200, 24), &bytes);
    assert!(!shows(&masked, secrets), "on a screen: {}", String::from_utf8_lossy(&masked));
    assert_eq!(
        String::from_utf8_lossy(&masked).replace("\r\n", "\n").replace('\0', ""),
        text,
        "both are alike"
    );
    for at in 0..bytes.len() {
        let (one, other) = bytes.split_at(at);
        assert_eq!(masks(rules, size(200, 24), [one, other]), whole, "split at {at}: {what}");
    }
    let mut coloured = Vec::new();
    for c in what.chars() {
        match c {
            '\n' => coloured.extend(b"\r\n"),
            _ => coloured.extend(format!("\x1b[3{}m{c}", c as u32 % 8).bytes()),
        }
    }
    let coloured = masked_with(rules, size(200, 24), &coloured);
    let mut plain = String::from_utf8_lossy(&coloured).into_owned();
    (0..8).for_each(|colour| plain = plain.replace(&format!("\x1b[3{colour}m"), ""));
    assert!(!shows(plain.as_bytes(), secrets), "with colours: {plain}");
    for (cols, rows) in [(40, 24), (17, 24), (80, 2)] {
        let masked = masked_with(rules, size(cols, rows), &bytes);
        assert!(!shows(&masked, secrets), "{cols}x{rows}: {}", String::from_utf8_lossy(&masked));
    }
}

fn check(lines: &[&str], secrets: &[&str]) {
    check_with(&rules(), lines, secrets);
}

fn knowing(value: &str) -> Arc<Rules> {
    Arc::new(Rules::builtin().with_variables([("MY_TOKEN".into(), value.into())]))
}

#[test]
fn a_block_of_yaml_is_masked_to_its_end() {
    for header in
        ["password: |", "password: >-", "  DB_PASSWORD: |2", "- token: |+  # why", "\"client_secret\": |"]
    {
        let indented = format!("      {SECRET}");
        let deeper = "        andMore99xyz and-words";
        check(&[header, &indented, deeper, "user: Sunshine99"], &[SECRET, "andMore99xyz", "and-words"]);
        let text = rules().mask_text(&[header, &indented, "user: Sunshine99"].join("\n")).into_owned();
        assert!(text.ends_with("user: Sunshine99") && text.starts_with(header), "{text}");
    }
}

#[test]
fn prompts_in_several_languages_are_masked_if_the_answer_is_echoed() {
    for prompt in [
        "[sudo] Passwort für me: ",
        "[sudo] contraseña para me: ",
        "Contraseña: ",
        "Lösenord: ",
        "Hasło: ",
        "Пароль: ",
        "パスワード: ",
        "密码：",
        "密碼: ",
        "비밀번호: ",
        "me@host's password: ",
        "Enter passphrase for key 'id': ",
    ] {
        check(&[&format!("{prompt}{SECRET}"), "ok"], &[SECRET]);
    }
}

#[test]
fn tables_and_columns_are_masked() {
    for line in [
        "| password | q7Zt2XbK9mR4 | of the database |",
        "| **x** | y |\n| api_key | q7Zt2XbK9mR4 |",
        " password | q7Zt2XbK9mR4",
        "│ password │ q7Zt2XbK9mR4 │",
        "client_secret        q7Zt2XbK9mR4",
        "password             q7Zt2XbK9mR4",
        "APP_SECRET           q7Zt2XbK9mR4      production",
    ] {
        check(&line.lines().collect::<Vec<_>>(), &[SECRET]);
    }
}

#[test]
fn settings_source_code_and_signed_requests_are_masked() {
    for line in [
        "define('DB_PASSWORD', 'q7Zt2XbK9mR4');",
        "<add key=\"db.password\" value=\"q7Zt2XbK9mR4\"/>",
        "<input value=\"q7Zt2XbK9mR4\" type=\"password\">",
        "<db.password>q7Zt2XbK9mR4</db.password>",
        "psk=q7Zt2XbK9mR4",
        "PresharedKey = q7Zt2XbK9mR4",
        "bindpw q7Zt2XbK9mR4",
        "rootpw q7Zt2XbK9mR4",
        "tls.key: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpq7Zt2XbK9mR4",
        "https://x.example.org/f?X-Amz-Credential=q7Zt2XbK9mR4%2F20261116%2Fus-east-1&X-Amz-Date=20261116",
        "https://x.example.org/f?X-Amz-Signature=3f9a0c7e1b5d8264q7Zt2XbK9mR4&x=1",
        "https://x.example.org/f?X-Amz-Security-Token=IQoJb3JpZ2luX2Vq7Zt2XbK9mR4%2F&x=1",
        "https://x.example.org/f?x-goog-signature=3f9a0c7e1b5d8264q7Zt2XbK9mR4",
        "AWS4-HMAC-SHA256 SignedHeaders=host, Signature=3f9a0c7e1b5d82643f9a0c7e1b5d8264q7Zt2XbK9mR4",
    ] {
        check(&[line, "and more"], &[SECRET]);
    }
}

#[test]
fn the_rest_of_a_token_of_abide_whose_end_is_cut_off_is_masked() {
    check(&["abide_k7f2m9qd_3f9aQc7e1b5Dq7Zt2XbK9mR4", "$ done"], &[SECRET]);
}

/// The body of a private key in PKCS #8, from its second line on: 64 characters in a line.
fn key_body() -> Vec<String> {
    (0..5).map(|line| format!("{line:02}abcdEFGH{}", "x9Y/".repeat(14))[..64].to_owned()).collect()
}

#[test]
fn a_private_key_without_its_first_line_is_masked_on_a_screen() {
    let body = key_body();
    let mut lines: Vec<&str> = vec!["$ tail key.pem"];
    lines.extend(body.iter().map(String::as_str));
    lines.extend(["ab9=", "-----END PRIVATE KEY-----", "$ done"]);
    let bytes = on_screen(&lines);
    for (cols, rows) in [(80, 24), (64, 24), (40, 24), (200, 9)] {
        let masked = String::from_utf8(masked_with(&rules(), size(cols, rows), &bytes)).expect("characters");
        assert!(!shows(masked.as_bytes(), &["abcdEFGH", "x9Y/x9Y/", "ab9="]), "{cols}x{rows}: {masked}");
        assert!(masked.starts_with("$ tail key.pem\r\n") && masked.ends_with("-----\r\n$ done"), "{masked}");
    }
    let whole = masks(&rules(), size(80, 24), [&bytes[..]]);
    for at in 0..bytes.len() {
        let (one, other) = bytes.split_at(at);
        assert_eq!(masks(&rules(), size(80, 24), [one, other]), whole, "split at {at}");
    }
}

#[test]
fn a_private_key_is_known_by_the_first_line_of_its_body() {
    let body = key_body();
    for first in [
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7",
        "MIIEpAIBAAKCAQEA0Zt2XbK9mR4vLd8HwPf3NsJ6yGc5TaQ1xVe0",
        "MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkqhkiG9w0BBQwwHAQI3f9a",
        "MHcCAQEEIIGk2XbK9mR4vLd8HwPf3NsJ6yGc5TaQ1xVe0UkWzBhD",
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgq7Zt",
        "MC4CAQAwBQYDK2VwBCIEIKq7Zt2XbK9mR4vLd8HwPf3NsJ6yGc5T",
        "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB",
    ] {
        check(&["$ sed 1d key", first, &body[0], &body[1]], &[&first[24..40], "abcdEFGH"]);
    }
}

#[test]
fn a_private_key_goes_on_behind_the_blank_line_after_its_headers() {
    let body = key_body();
    let lines = [
        "-----BEGIN RSA PRIVATE KEY-----",
        "Proc-Type: 4,ENCRYPTED",
        "DEK-Info: AES-256-CBC,3F9A0C7E1B5D8264",
        "",
        &body[0],
        &body[1],
    ];
    check(&lines, &["abcdEFGH"]);
}

/// Long enough for several lines.
const VALUE: &str = "q7Zt2XbK9mR4vLd8HwPf3NsJ6yGc5TaQ1xVe0UkWzBhDnMuC";

#[test]
fn a_known_value_that_is_folded_is_masked() {
    let rules = knowing(VALUE);
    for width in [9, 10, 16, 20, 30, 47] {
        let lines: Vec<&str> =
            VALUE.as_bytes().chunks(width).map(|part| std::str::from_utf8(part).expect("ASCII")).collect();
        let mut secrets = lines.clone();
        secrets.retain(|line| line.len() > 1);
        let mut all = vec!["$ fold"];
        all.extend(&lines);
        all.push("$ done");
        check_with(&rules, &all, &secrets);
        let text = rules.mask_text(&all.join("\n")).into_owned();
        assert!(text.starts_with("$ fold\n") && text.ends_with("\n$ done"), "{text}");
    }
    // What `base64 -w 20` makes of it.
    check_with(
        &rules,
        &["cTdadDJYYks5bVI0dkxk", "OEh3UGYzTnNKNnlHYzVU", "YVExeFZlMFVrV3pCaERu", "TXVD"],
        &["cTdadDJYYks5bVI0", "OEh3UGYzTnNKNnlHYzVU", "YVExeFZlMFVrV3pCaERu", "TXVD"],
    );
}

#[test]
fn a_known_value_in_a_dump_of_bytes_is_masked() {
    let rules = knowing("q7Zt2XbK9mR4vLd8HwPf");
    // A `key=` stands before it, so that it crosses the lines.
    for lines in [
        [
            "00000000: 6b65 793d 7137 5a74 3258 624b 396d 5234  key=q7Zt2XbK9mR4",
            "00000010: 764c 6438 4877 5066 0a                   vLd8HwPf.",
        ],
        [
            "00000000  6b 65 79 3d 71 37 5a 74  32 58 62 4b 39 6d 52 34  |key=q7Zt2XbK9mR4|",
            "00000010  76 4c 64 38 48 77 50 66  0a                       |vLd8HwPf.|",
        ],
        [
            "0000000   k   e   y   =   q   7   Z   t   2   X   b   K   9   m   R   4",
            "0000020   v   L   d   8   H   w   P   f  \\n",
        ],
        ["0000000 656b 3d79 3771 745a 5832 4b62 6d39 3452", "0000010 4c76 3864 7748 6650 000a"],
    ] {
        let text = rules.mask_text(&lines.join("\n")).into_owned();
        for part in ["7137", "71 37", "q7Z", "vLd", "764c", "76 4c", "q   7", "v   L", "3771", "4c76", "6650"]
        {
            assert!(!text.contains(part), "{part} is in {text}");
        }
        let bytes = on_screen(&lines);
        let masked = masked_with(&rules, size(80, 24), &bytes);
        assert_eq!(String::from_utf8_lossy(&masked).replace("\r\n", "\n"), text);
        let whole = masks(&rules, size(80, 24), [&bytes[..]]);
        assert_eq!(masks(&rules, size(80, 24), bytes.chunks(1)), whole);
    }
    let elf = "00000000: 7f45 4c46 0201 0100 0000 0000 0000 0000  .ELF............";
    assert_eq!(rules.mask_text(elf), elf);
}

#[test]
fn a_prefix_of_a_known_value_in_a_sentence_stays() {
    let rules = knowing("development-secret");
    for text in ["NODE_ENV=development\nok", "in development\n", "the development server", "development-"] {
        assert_eq!(rules.mask_text(text), text);
    }
}

#[test]
fn base64_in_notifications_and_variables_is_masked() {
    // token=q7Zt2XbK9mR4vLd8
    let encoded = "dG9rZW49cTdadDJYYks5bVI0dkxkOA==";
    for begin in ["99;i=1:d=0:e=1;", "1337;Copy=:", "1337;SetBadgeFormat=", "1337;File=name=YS50eHQ=:"] {
        let text = format!("a\x1b]{begin}{encoded}\x07b");
        let masked = masked_with(&rules(), size(80, 24), text.as_bytes());
        assert_eq!(
            String::from_utf8_lossy(&masked),
            format!("a\x1b]{begin}***REDACTED***{}\x07b", "*".repeat(18))
        );
        let whole = masks(&rules(), size(80, 24), [text.as_bytes()]);
        assert_eq!(masks(&rules(), size(80, 24), text.as_bytes().chunks(1)), whole);
    }
    // q7Zt2XbK9mR4, which only its name gives away
    let variable = "\x1b]1337;SetUserVar=API_TOKEN=cTdadDJYYks5bVI0\x07";
    assert!(!shows(&masked_with(&rules(), size(80, 24), variable.as_bytes()), &["cTdadDJY"]));
    let unencoded = format!("\x1b]1337;SetUserVar=x=token={VALUE}\x07");
    assert!(!shows(&masked_with(&rules(), size(80, 24), unencoded.as_bytes()), &[VALUE]));
    for harmless in ["\x1b]99;i=1:e=1;anVzdCB0ZXh0\x07", "\x1b]1337;SetUserVar=branch=bWFpbg==\x07"] {
        assert_eq!(masked_with(&rules(), size(80, 24), harmless.as_bytes()), harmless.as_bytes());
    }
}

#[test]
fn abides_own_tokens_and_codes_are_masked_however_they_are_drawn() {
    let token = format!("abide_k7f2m9qd_{}", &"q7Zt2XbK9mR4vLd8HwPf3NsJ6yGc5TaQ1xVe0UkWzBhDnMuC"[..43]);
    let code = "3f9a0c7e1b5d8264xyzk";
    let (link, other) =
        (format!("http://127.0.0.1:7433/#{code}"), format!("http://abide.localhost:7433/#{code}"));
    check(&[&token, "$ done"], &[&token[15..30], &token[40..]]);
    check(&["open", &link, &format!("or {other}, within ten minutes")], &[code]);
    let boxed = [format!("│ {} │", &token[..30]), format!("│ {}  │", &token[30..])];
    let masked = masked_with(&rules(), size(34, 24), &on_screen(&[&boxed[0], &boxed[1]]));
    assert!(!shows(&masked, &[&token[16..30], &token[32..48]]), "{}", String::from_utf8_lossy(&masked));
}

#[test]
fn a_mask_names_the_rule_that_made_it() {
    let rules = knowing(VALUE);
    let text = format!("password: |\r\n  {SECRET}\r\nx\r\n{VALUE}\r\nDB_PASSWORD=Sunshine\r\n");
    let mut masker = Masker::new(rules.clone(), size(80, 24));
    masker.feed(text.as_bytes());
    masker.look();
    let masks = masker.take_masks();
    let mut names: Vec<&str> = masks.iter().map(|mask| rules.name_of_mask(mask)).collect();
    names.dedup();
    assert_eq!(names, ["assigned-block", "variable MY_TOKEN", "assigned"]);
    let mut masked = text.into_bytes();
    apply(&masks, 0, &mut masked);
    assert!(!shows(&masked, &[SECRET, VALUE, "Sunshine"]));
}
