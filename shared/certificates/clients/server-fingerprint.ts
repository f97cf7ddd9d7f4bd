import { connect, type ConnectionOptions } from 'node:tls'
import { environment, setting } from '../../base/environment.ts'
import { Refusal } from '../../base/errors.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { Context } from '../../http/context.ts'
import type { ServerFingerprint } from './model.ts'

const KNOWN_MS = 5 * MINUTE_MS
const HANDSHAKE_MS = 5_000
const HTTPS_PORT = 443
/** A laptop's certificate is self-made, and no network is in between. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

const unavailable = (sentence: string, cause?: unknown): Refusal => new Refusal('UNAVAILABLE', sentence, { cause })

/** SHA-256, in hex, of a server's certificate. @throws Refusal UNAVAILABLE */
function fingerprintAt({ hostname, port }: URL): Promise<string> {
  const options: ConnectionOptions = {
    host: hostname,
    port: Number(port || HTTPS_PORT),
    servername: hostname,
    rejectUnauthorized: !LOOPBACK.has(hostname),
  }
  return new Promise((resolve, reject) => {
    const socket = connect(options, () => {
      resolve(socket.getPeerCertificate().fingerprint256.replaceAll(':', '').toLowerCase())
      socket.destroy()
    })
    const fail = (cause: unknown): void => {
      reject(unavailable('The service could not see its own certificate; try again later.', cause))
      socket.destroy()
    }
    socket.setTimeout(HANDSHAKE_MS, () => fail(new Error('The handshake took too long')))
    socket.on('error', fail)
  })
}

let known: { readonly fingerprint: string; readonly seenAtMs: number } | undefined

/**
 * The certificate of the service, for clients that pin it at first contact. Only connections show the platform's
 * certificate, so the function makes one, once in five minutes.
 * @throws Refusal UNAVAILABLE if the service is not reachable over TLS, or does not answer
 */
export async function serverFingerprint({ now }: Context): Promise<ServerFingerprint> {
  const address = new URL(setting('KEYMGR_TLS_URL') ?? environment().KEYMGR_BASE_URL)
  if (address.protocol !== 'https:')
    throw unavailable('This service is not reached over TLS, so it has no certificate.')
  if (known === undefined || Math.abs(now.getTime() - known.seenAtMs) >= KNOWN_MS)
    known = { fingerprint: await fingerprintAt(address), seenAtMs: now.getTime() }
  return { sha256_fingerprint: known.fingerprint }
}
