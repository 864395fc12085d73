// How the page talks to the server: a socket, and requests. A lost server is looked for until it is
// back.

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;

// A socket that opens again by itself.
export class Line {
  // `onMessage` takes what the server says, `onStatus` whether it is there.
  constructor(onMessage, onStatus) {
    this.onMessage = onMessage;
    this.onStatus = onStatus;
    this.wait = FIRST_WAIT_MS;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/socket`);
    this.socket.onopen = () => {
      this.wait = FIRST_WAIT_MS;
      this.onStatus(true);
    };
    this.socket.onmessage = (event) => this.onMessage(JSON.parse(event.data));
    this.socket.onclose = () => {
      this.onStatus(false);
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT_MS);
    };
  }

  // Says something, if the server is there.
  say(text) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text);
  }
}

// Asks, and takes the answer to the newest request only; that one is asked again of a server that
// is back.
export class Connection {
  constructor(onAnswer, onStatus) {
    this.number = 0;
    this.newest = null;
    this.line = new Line(
      (answer) => {
        if (answer.number !== this.number && answer.number !== -1) return;
        this.newest = null;
        onAnswer(answer);
      },
      (isThere) => {
        onStatus(isThere);
        if (isThere && this.newest) this.line.say(this.newest);
      },
    );
  }

  // Asks for a state; the server drops an older question.
  ask(request) {
    this.number += 1;
    this.newest = JSON.stringify({ ...request, number: this.number });
    this.line.say(this.newest);
  }
}

// Returns the object at a path, as soon as the server is there.
export async function get(path) {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      const answer = await fetch(path);
      return await answer.json();
    } catch {
      await new Promise((done) => { setTimeout(done, wait); });
    }
  }
}

// Posts a message, and returns the answer: its object, or the response if it is a file.
export async function post(path, message) {
  const answer = await fetch(path, { method: "POST", body: JSON.stringify(message) });
  const isJson = (answer.headers.get("Content-Type") ?? "").includes("json");
  const content = isJson ? await answer.json() : answer;
  if (content.error) throw new Error(content.error);
  return content;
}

// Returns a function that posts a message to a path. `take` and `fail` hear of the newest message
// only: answers may overtake each other.
export function newest(path, take, fail) {
  let latest = null;
  return async (message) => {
    latest = message;
    try {
      const content = await post(path, message);
      if (latest === message) take(content);
    } catch (error) {
      if (latest === message) fail(error.message);
    }
  };
}
