//! The control socket: a line asks, one JSON object answers.

use serde::Serialize;
use serde_json::json;

use super::observation::Observation;
use super::poll_server::Handler;

/// What may be asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// The daemon, its worker and its profiles.
    Status,
    /// That, and each mobile that has connections.
    Mobiles,
}

impl Question {
    /// As written in a line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Mobiles => "mobiles",
        }
    }
}

/// Answers questions with what `look` sees; `None` is no answer of the packet thread in time.
pub(crate) struct Control<Look> {
    pub(crate) look: Look,
}

impl<Look: FnMut(Question) -> Option<Observation>> Handler for Control<Look> {
    fn answer(&mut self, said: &[u8]) -> Option<Vec<u8>> {
        let end = said.iter().position(|&byte| byte == b'\n')?;
        let line = said[..end].trim_ascii();
        let known = [Question::Status, Question::Mobiles];
        let answer = match known.into_iter().find(|it| it.name().as_bytes() == line) {
            None => trouble("there is no such question; use status or mobiles"),
            Some(question) => match (self.look)(question) {
                None => trouble("packets are not handled in time"),
                Some(seen) => json(&seen),
            },
        };
        Some(answer)
    }

    fn refusal(&self) -> Vec<u8> {
        trouble("a question is one line; use status or mobiles")
    }
}

fn trouble(line: &str) -> Vec<u8> {
    json(&json!({ "error": line }))
}

fn json(answer: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec(answer).expect("names, numbers and their lists");
    text.push(b'\n');
    text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn ask(said: &str) -> Option<Value> {
        let look = |question| {
            let mobiles = if question == Question::Mobiles { 3 } else { 0 };
            Some(Observation::example(mobiles))
        };
        let answer = Control { look }.answer(said.as_bytes())?;
        let answer = String::from_utf8(answer).expect("text");
        assert!(answer.ends_with('\n') && answer.lines().count() == 1, "{answer}");
        Some(serde_json::from_str(&answer).expect("JSON"))
    }

    #[test]
    fn it_tells_how_the_daemon_fares() {
        let answer = ask("status\n").expect("an answer");
        assert_eq!(answer["state"], "serving");
        assert_eq!(answer["worker_restarts"], 3);
        assert_eq!(answer["version"], "1.2.3");
        assert_eq!(answer["profiles"][0]["name"], "gprs");
        assert_eq!(answer.get("mobiles"), None);
    }

    #[test]
    fn it_names_mobiles_if_it_is_asked_for_them() {
        let answer = ask("mobiles\r\n").expect("an answer");
        assert_eq!(answer["mobiles"].as_array().map(Vec::len), Some(3));
        assert_eq!(answer["mobiles"][2]["address"], "10.45.0.2");
    }

    #[test]
    fn half_a_line_is_no_question() {
        assert_eq!(ask("stat"), None);
        assert_eq!(ask(""), None);
    }

    #[test]
    fn what_it_does_not_know_is_answered_by_what_it_does() {
        for said in ["\n", "state\n", "status please\n", "\0\n"] {
            let answer = ask(said).expect("an answer");
            let expect = "there is no such question; use status or mobiles";
            assert_eq!(answer, json!({ "error": expect }));
        }
    }

    #[test]
    fn it_says_so_if_nothing_can_be_seen() {
        let answer = Control { look: |_| None }.answer(b"status\n").expect("an answer");
        assert!(answer.starts_with(b"{\"error\":"));
    }
}
