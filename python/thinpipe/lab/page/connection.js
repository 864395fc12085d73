// The socket to the server. Of the requests only the newest counts: while one is under way, a newer
// one waits, and what came between is never sent. A lost server is looked for until it is back.

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;

export class Connection {
  // `onAnswer` takes an answer to the newest request, `onStatus` whether the server is there.
  constructor(onAnswer, onStatus) {
    this.onAnswer = onAnswer;
    this.onStatus = onStatus;
    this.number = 0;
    this.newest = null;
    this.wait = FIRST_WAIT_MS;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/socket`);
    this.socket.onopen = () => {
      this.wait = FIRST_WAIT_MS;
      this.onStatus(true);
      if (this.newest) this.socket.send(this.newest);
    };
    this.socket.onmessage = (event) => {
      const answer = JSON.parse(event.data);
      if (answer.number === this.number || answer.number === -1) {
        this.newest = null;
        this.onAnswer(answer);
      }
    };
    this.socket.onclose = () => {
      this.onStatus(false);
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT_MS);
    };
  }

  // Asks for a state; an older question is dropped.
  ask(request) {
    this.number += 1;
    this.newest = JSON.stringify({ ...request, number: this.number });
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(this.newest);
  }

  get isWaiting() {
    return this.newest !== null;
  }
}
