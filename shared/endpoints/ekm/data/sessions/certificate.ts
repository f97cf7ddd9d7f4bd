import { createPrivateKey, X509Certificate } from 'node:crypto'
import { ROOT_DOMAIN_ID } from '../../../../base/ids.ts'
import type { Moment } from '../../../../base/moment.ts'
import { StaleCache } from '../../../../base/stale-cache.ts'
import { openSdkless } from '../../../../serving/domain-key.ts'
import { readEntity } from '../../../../serving/sdkless/dynamo.ts'
import { itemKey } from '../../../../store/layout.ts'
import type { TlsServer } from '../../../../tls/server.ts'
import {
  CERTIFICATE_KIND,
  certificatePurpose,
  HOST_KIND,
  type StoredSessionCertificate,
  type StoredSessionHost,
} from '../../session-certificate/record.ts'
import { EkmRefusal } from '../errors.ts'

/** A replaced certificate, and the end of the last endpoint at a host, take effect within a minute. */
const servers = new StaleCache<TlsServer>({ refreshAfterMs: 30_000, staleAfterMs: 60_000, entries: 256 })

const END = '-----END CERTIFICATE-----'
const derOf = (chain: string): Buffer[] =>
  chain
    .split(END)
    .slice(0, -1)
    .map((block) => new X509Certificate(block + END).raw)

async function readServer(host: string, now: Moment): Promise<TlsServer | undefined> {
  const [stored, endpoints] = await Promise.all([
    readEntity<StoredSessionCertificate>(itemKey(ROOT_DOMAIN_ID, CERTIFICATE_KIND, host), now.epochMs),
    readEntity<StoredSessionHost>(itemKey(ROOT_DOMAIN_ID, HOST_KIND, host), now.epochMs),
  ])
  const isCounted = endpoints?.isWhole === true // not while the host has endpoints from before they were counted
  const isServed = !isCounted || endpoints.enabled > 0
  if (stored === undefined || !isServed) return undefined
  const pkcs8 = await openSdkless(ROOT_DOMAIN_ID, certificatePurpose(host), stored.sealed, now)
  const server = {
    chain: derOf(stored.certificate),
    key: createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }),
  }
  pkcs8.fill(0)
  return server
}

/**
 * The certificate of sessions at a host. @throws EkmRefusal NOT_FOUND at a host without an enabled endpoint that accepts sessions;
 * Refusal UNAVAILABLE
 */
export async function serverAt(host: string, now: Moment): Promise<TlsServer> {
  const server = await servers.get(host, now, () => readServer(host, now))
  if (server === undefined) throw new EkmRefusal('NOT_FOUND')
  return server
}
