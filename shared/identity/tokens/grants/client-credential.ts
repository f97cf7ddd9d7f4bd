import { BoundedCache } from '../../../base/bounded-cache.ts'
import { Refusal } from '../../../base/errors.ts'
import { ROOT_DOMAIN_ID, ROOT_DOMAIN_NAME } from '../../../base/ids.ts'
import { MINUTE_MS } from '../../../base/time.ts'
import { thumbprintOf } from '../../../crypto/x509/thumbprint.ts'
import type { Context } from '../../../http/context.ts'
import { certificateTrust } from '../../certificate-trust.ts'
import { isRecognized } from '../../clients/is-recognized.ts'
import { clientStanding, groupsOfClient } from '../../clients/standing.ts'
import { noteLogin } from '../../users/login-record.ts'
import { accessToken } from '../access-token.ts'
import type { Grant } from './grant.ts'

const ROOT = { id: ROOT_DOMAIN_ID, name: ROOT_DOMAIN_NAME }

/** The same message for every reason: it reveals neither which clients exist nor the fault of a certificate. */
const failed = (): Refusal =>
  new Refusal(
    'LOGIN_FAILED',
    'No active client has this client_id and the certificate of this connection. A client logs in at the host with mutual TLS, with the certificate it is registered with, of an authority that allows client authentication.',
  )

/** Ours: `last_login` is exact to the minute, so that a client that logs in frequently does not write it each time. */
const noted = new BoundedCache<number>(2_000)

function noteAtTimes({ changes, now, afterCommit }: Context, id: string): void {
  if (Math.abs(now.getTime() - (noted.get(id) ?? -Infinity)) < MINUTE_MS) return
  noteLogin(changes, ROOT_DOMAIN_ID, id, now)
  afterCommit(() => Promise.resolve(noted.set(id, now.getTime())))
}

/**
 * A log-in of a registered client, by the certificate on the connection. Its token is bound to that certificate. Every
 * request makes the same reads, whatever its error.
 * @throws Refusal LOGIN_FAILED
 */
export const clientCredentialGrant: Grant = async (context, { client_id: id = '' }) => {
  const { now, clientCertificate: pem = '' } = context
  // Ours: the client is not authenticated yet, so refusals are recorded as those of anonymous callers, with the claimed
  // id.
  context.setActor({ sub: '', username: id, domain: ROOT })
  const { trusted } = await certificateTrust()
  const [client, certificate] = await Promise.all([
    clientStanding(id, now),
    trusted(ROOT_DOMAIN_ID, pem, 'client', now),
  ])
  if ('lapse' in client || certificate === undefined || !isRecognized(client.item, certificate, now)) throw failed()
  const { name } = client.item
  context.setActor({ sub: id, username: name, domain: ROOT, client: { id, name } })
  noteAtTimes(context, id)
  const token = await accessToken(now, {
    sub: id,
    username: name,
    domain: ROOT,
    homeDomainId: ROOT_DOMAIN_ID,
    groups: await groupsOfClient(client.item, now),
    client: { id, name },
    boundTo: thumbprintOf(pem),
  })
  return { ...token, client_id: id }
}
