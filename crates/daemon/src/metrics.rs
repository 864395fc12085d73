//! Metrics over HTTP (RFC 9112).

use httparse::{EMPTY_HEADER, Request, Status};

use super::observation::Observation;
use super::poll_server::Handler;
use super::stats::page;

/// The path that Prometheus asks for by default.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";

/// A scrape has no more header fields.
const HEADERS: usize = 64;

/// Answers scrapes with what `look` sees; `None` is no answer of the packet thread in time.
pub(crate) struct Metrics<Look> {
    pub(crate) look: Look,
}

/// Whether a body follows the head.
#[derive(Clone, Copy)]
enum Method {
    Get,
    Head,
}

impl<Look: FnMut() -> Option<Observation>> Handler for Metrics<Look> {
    fn answer(&mut self, said: &[u8]) -> Option<Vec<u8>> {
        let mut headers = [EMPTY_HEADER; HEADERS];
        let mut request = Request::new(&mut headers);
        match request.parse(said) {
            Ok(Status::Partial) => None,
            Ok(Status::Complete(_)) => Some(self.respond(&request)),
            Err(error) => {
                Some(response(Method::Get, "400 Bad Request", PLAIN, &format!("{error}\n")))
            }
        }
    }

    fn refusal(&self) -> Vec<u8> {
        let status = "431 Request Header Fields Too Large";
        response(Method::Get, status, PLAIN, "a scrape is shorter\n")
    }
}

impl<Look: FnMut() -> Option<Observation>> Metrics<Look> {
    fn respond(&mut self, request: &Request<'_, '_>) -> Vec<u8> {
        let method = match request.method {
            Some("GET") => Method::Get,
            Some("HEAD") => Method::Head,
            Some(_) | None => {
                let status = "405 Method Not Allowed\r\nAllow: GET, HEAD";
                return response(Method::Get, status, PLAIN, "it takes GET or HEAD\n");
            }
        };
        let path = request.path.unwrap_or_default().split('?').next().unwrap_or_default();
        if path != "/metrics" {
            return response(method, "404 Not Found", PLAIN, "metrics are at /metrics\n");
        }
        if let Some(Ok(text)) = (self.look)().map(page) {
            return response(method, "200 OK", OPEN_METRICS, &text);
        }
        let body = "packets are not handled in time\n";
        response(method, "503 Service Unavailable", PLAIN, body)
    }
}

fn response(method: Method, status: &str, kind: &str, body: &str) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    match method {
        Method::Get => (head + body).into_bytes(),
        Method::Head => head.into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(said: &str) -> Option<String> {
        let mut metrics = Metrics { look: || Some(Observation::example(1)) };
        let answer = metrics.answer(said.as_bytes())?;
        Some(String::from_utf8(answer).expect("text"))
    }

    fn check(said: &str, status: &str, body: &str) {
        let answer = ask(said).expect("an answer");
        let (head, rest) = answer.split_once("\r\n\r\n").expect("a head");
        assert!(head.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{said:?}: {head}");
        assert!(head.contains("\r\nConnection: close"), "{head}");
        assert!(rest.contains(body), "{said:?}: {rest}");
    }

    #[test]
    fn it_answers_scrapes() {
        let text = "# TYPE thinpipe_flows gauge";
        check("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "200 OK", text);
        check("GET /metrics HTTP/1.0\r\n\r\n", "200 OK", text);
        check("GET /metrics?name=x HTTP/1.1\r\nHost: x\r\n\r\n", "200 OK", text);
        check("HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "200 OK", "");
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "404 Not Found", "/metrics");
        check("POST /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "405 Method Not Allowed", "GET");
        check("\x16\x03\x01 is how TLS begins", "400 Bad Request", "");
        check("GET /metrics\r\n\r\n", "400 Bad Request", "");
    }

    #[test]
    fn the_length_is_that_of_the_body() {
        let answer = ask("GET /metrics HTTP/1.1\r\n\r\n").expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        assert!(head.contains(&format!("\r\nContent-Length: {}\r\n", body.len())), "{head}");
        let answer = ask("HEAD /metrics HTTP/1.1\r\n\r\n").expect("an answer");
        assert!(answer.ends_with("\r\n\r\n") && !answer.contains("Content-Length: 0"));
    }

    #[test]
    fn half_a_question_is_none() {
        for said in ["", "G", "GET /metrics HTTP/1.1\r\n", "GET /metrics HTTP/1.1\r\nHost: x\r\n"] {
            assert_eq!(ask(said), None, "{said:?}");
        }
    }

    #[test]
    fn many_header_fields_are_refused() {
        let fields = "A: b\r\n".repeat(HEADERS + 1);
        check(&format!("GET /metrics HTTP/1.1\r\n{fields}\r\n"), "400 Bad Request", "");
    }

    #[test]
    fn it_says_so_if_nothing_can_be_seen() {
        let mut metrics = Metrics { look: || None };
        let answer = metrics.answer(b"GET /metrics HTTP/1.1\r\n\r\n").expect("an answer");
        assert!(answer.starts_with(b"HTTP/1.1 503 "));
    }
}
