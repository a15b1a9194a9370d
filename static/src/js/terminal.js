// The instance's shell in the browser. The shell lives on when the connection breaks; a new one shows its last screen.
import { Terminal } from "../../third_party/xterm/xterm.mjs";
import { FitAddon } from "../../third_party/addon-fit/addon-fit.mjs";

const SUBPROTOCOL = "meterhouse.terminal.v1";
const FIRST_WAIT = 500, LONGEST_WAIT = 15000; // ms between tries

// allowStyles makes the emulator's styles pass the page's policy: its style elements get the page's nonce, and what it
// writes into style attributes is set through the object model, which the policy allows.
function allowStyles() {
  const { nonce } = document.querySelector("script[nonce]");
  const create = document.createElement.bind(document);
  document.createElement = (name, options) => {
    const element = create(name, options);
    if (name === "style") element.nonce = nonce;
    if (name === "span") {
      element.setAttribute = (attribute, value) => {
        if (attribute === "style") element.style.cssText = value;
        else Element.prototype.setAttribute.call(element, attribute, value);
      };
    }
    return element;
  };
}

// start puts a terminal into a screen, and returns what ends it.
function start(screen) {
  const words = screen.dataset;
  const stateLine = document.querySelector("[data-terminal-state]");
  const colours = getComputedStyle(screen);
  const terminal = new Terminal({
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--mono"), fontSize: 13, scrollback: 5000,
    cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches, screenReaderMode: false, logLevel: "off", minimumContrastRatio: 4.5,
    theme: { background: colours.backgroundColor, foreground: colours.color, cursor: "#4cc79a", selectionBackground: "#3b5a4f" },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  screen.replaceChildren();
  terminal.open(screen);
  terminal.textarea?.setAttribute("aria-label", words.label);
  terminal.textarea?.setAttribute("aria-describedby", "leave");

  let socket = null, wait = FIRST_WAIT, next = 0, over = false;
  const say = (text) => { stateLine.textContent = text; };
  const send = (message) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(message);
  };

  // The keyboard leaves the terminal by Ctrl+Alt+↑: everything else belongs to the shell.
  terminal.attachCustomKeyEventHandler((event) => {
    if (!(event.ctrlKey && event.altKey && event.key === "ArrowUp")) return true;
    if (event.type === "keydown") {
      event.preventDefault();
      terminal.blur();
      document.querySelector("[data-left]").focus(); // behind the terminal, so that Tab goes on from there
    }
    return false;
  });

  const encoder = new TextEncoder();
  terminal.onData((data) => send(encoder.encode(data)));
  terminal.onBinary((data) => send(Uint8Array.from(data, (c) => c.charCodeAt(0))));
  terminal.onResize(({ cols, rows }) => send(JSON.stringify({ type: "resize", cols, rows })));
  const resize = new ResizeObserver(() => fit.fit());
  resize.observe(screen);
  fit.fit();

  async function connect() {
    say(words.textConnecting);
    const answer = await ticket(words.terminal);
    if (over) return;
    if (answer.refused) {
      over = true;
      return say(words.textRefused);
    }
    if (!answer.ticket) return again();
    const url = new URL(words.terminal, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    url.search = new URLSearchParams({ ticket: answer.ticket, cols: terminal.cols, rows: terminal.rows });
    socket = new WebSocket(url, SUBPROTOCOL);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      wait = FIRST_WAIT;
      terminal.reset(); // the last screen comes again
      say(words.textOpen);
      screen.dataset.state = "open";
    };
    socket.onmessage = (event) => {
      if (typeof event.data === "string") hear(JSON.parse(event.data));
      else terminal.write(new Uint8Array(event.data));
    };
    socket.onclose = () => {
      screen.dataset.state = "closed";
      if (!over) again();
    };
  }

  function hear(message) {
    if (message.type === "exit") {
      over = true;
      say(words.textExit);
    } else if (message.type === "error") {
      say(message.message);
    } else if (message.type === "end") {
      over = true;
      say(words.textRefused);
      document.body.dispatchEvent(new Event("refresh"));
    }
  }

  function again() {
    say(words.textAgain.replace("{}", Math.max(1, Math.round(wait / 1000))));
    next = setTimeout(connect, wait * (0.75 + Math.random() / 2));
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }

  connect();
  return () => {
    over = true;
    clearTimeout(next);
    resize.disconnect();
    socket?.close();
    terminal.dispose();
  };
}

// ticket asks for what opens the socket once. A refusal is final; no answer is not.
async function ticket(path) {
  try {
    const token = document.querySelector("meta[name=csrf]").content;
    const answer = await fetch(path + "/ticket", { method: "POST", headers: { "X-CSRF-Token": token }, body: new URLSearchParams({ csrf: token }) });
    if (answer.redirected || [401, 403, 404, 409].includes(answer.status)) return { refused: true };
    return answer.ok ? await answer.json() : {};
  } catch {
    return {};
  }
}

let attached = null, end = null;

// attach follows the page: a terminal comes when its instance runs, and goes when it does not.
function attach() {
  const screen = document.querySelector("[data-terminal]");
  if (screen === attached) return;
  end?.();
  [attached, end] = [screen, screen && start(screen)];
}

allowStyles();
attach();
document.addEventListener("htmx:after:swap", attach);
