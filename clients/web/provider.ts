import { call, Refused } from './api.ts'

interface Begun {
  readonly authorization_token: string
  readonly authorization_url: string
  readonly state: string
}

/** The answer of an identity provider, reported by the window that received it. */
interface Back {
  readonly code: string
  readonly state: string
  readonly iss?: string
}

const CHANNEL = 'keymgr-provider'
/** The redirect address: a provider knows one address of a page, whichever of its addresses is open. */
const back = (): string => location.origin + (document.documentElement.dataset.home ?? location.pathname)

/** Whether this window was opened for a log-in elsewhere. If so, it passes on the answer and closes. */
export function handsOver(): boolean {
  const query = new URLSearchParams(location.search)
  const [code, state, error, iss] = ['code', 'state', 'error', 'iss'].map((name) => query.get(name) ?? undefined)
  if (state === undefined || (code === undefined && error === undefined)) return false
  new BroadcastChannel(CHANNEL).postMessage({ code: code ?? '', state, ...(iss !== undefined && { iss }) })
  history.replaceState(undefined, '', back())
  window.close()
  return true
}

/** The provider's answer to a log-in. @throws the reason of the signal */
function returned(state: string, signal: AbortSignal): Promise<Back> {
  const channel = new BroadcastChannel(CHANNEL)
  const answer = new Promise<Back>((resolve, reject) => {
    channel.addEventListener('message', ({ data }: MessageEvent<Back>) => {
      if (data.state === state) resolve(data)
    })
    signal.addEventListener('abort', () => reject(signal.reason as Error)) // an AbortError
  })
  return answer.finally(() => channel.close())
}

/**
 * Logs in at an identity provider, in a separate window, so that the state of the log-in stays in the memory of this
 * page. Not every provider allows the page to notice that the window was closed, so only the signal ends the wait.
 * @returns the body of POST /v1/auth/tokens
 * @throws Refused, or the reason of the signal
 */
export async function byProvider(connection: string, inDomain: object, signal: AbortSignal): Promise<object> {
  const begun = await call<Begun>('/v1/auth/oidc/authorizations', {
    method: 'POST',
    body: { connection, redirect_uri: back(), ...inDomain },
  })
  signal.throwIfAborted()
  const opened = window.open(begun.authorization_url, '_blank', 'popup,width=520,height=680')
  if (opened === null) throw new Refused({ status: 0, detail: 'Allow this page to open a window, and try again.' })
  signal.addEventListener('abort', () => opened.close())
  const answer = await returned(begun.state, signal)
  if (answer.code === '') throw new Refused({ status: 0, detail: 'The identity provider refused the log-in.' })
  const { authorization_token } = begun
  return { grant_type: 'authorization_code', authorization_token, ...answer }
}
