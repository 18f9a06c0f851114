/** Talking to the server: JSON in, JSON out, errors as sentences. */

/** What the server, or the way to it, has to say; `message` is fit to be shown. */
export class ServerError extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

const UNREACHABLE =
  "The server does not answer. Is “provend serve” still running? Start it again and reload this page.";

async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError(UNREACHABLE);
  }
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  throw new ServerError(said.error ?? `The server refused this (${response.status}).`, response.status);
}

export async function get(path, signal) {
  return (await request(path, { signal })).json();
}

const asJson = (body) => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

export async function post(path, body = {}, signal = undefined) {
  return (await request(path, { ...asJson(body), signal })).json();
}

/** The bytes of a file, with its name beside them. */
export async function upload(file, path = "/api/files") {
  const headers = { "Content-Type": "application/octet-stream", "X-File-Name": encodeURIComponent(file.name) };
  return (await request(path, { method: "POST", headers, body: file })).json();
}

/** Have the browser save what the server makes of `body`, or gives without one. */
export async function download(path, body, fallback) {
  const response = await request(path, body === null ? {} : asJson(body));
  const name = /filename="?([^";]+)"?/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? fallback;
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return name;
}

const pause = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });

export const cancel = (job) => request(`/api/jobs/${encodeURIComponent(job)}`, { method: "DELETE" });

/** The result of a job, when it is there; `tell` is given every state on the way. */
export async function finished(job, tell, signal) {
  for (let wait = 150; ; wait = Math.min(1000, wait * 1.3)) {
    const now = await get(`/api/jobs/${encodeURIComponent(job)}`, signal);
    tell(now);
    if (now.state === "done") return now.result;
    if (now.state === "failed") throw new ServerError(now.error ?? "The work failed without saying why.");
    if (now.state === "cancelled") throw new DOMException("cancelled", "AbortError");
    await pause(wait, signal);
  }
}
