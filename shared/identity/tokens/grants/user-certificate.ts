import { Refusal } from '../../../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import { thumbprintOf } from '../../../crypto/x509/thumbprint.ts'
import type { Context } from '../../../http/context.ts'
import type { Domain } from '../../domains/model.ts'
import { guests } from '../../groups/store.ts'
import { countLogin } from '../../users/login-record.ts'
import { users } from '../../users/store.ts'
import { userOfCertificate } from '../certificate-user.ts'
import { domainNamed, readLock, type Candidate } from '../credentials.ts'
import { domainAsked } from '../domain-asked.ts'
import { opened, type Grant } from './grant.ts'

/** The same message for every reason: it reveals neither which users exist nor the fault of a certificate. */
const failed = (): Refusal =>
  new Refusal(
    'LOGIN_FAILED',
    'No user of the domain logs in with the certificate of this connection. A user logs in at the host with mutual TLS, with a certificate whose subject is the certificate_subject_dn of the user, of an authority that allows user authentication.',
  )

/** The user with a certificate's subject: one of the domain, else one of the root domain who is its guest. */
async function candidateFor(domain: Domain, pem: string, now: Date): Promise<Candidate | undefined> {
  const own = await userOfCertificate(domain.id, pem, now)
  if (own) return { user: own, homeDomainId: domain.id, groupIds: own.item.group_ids }
  if (domain.id === ROOT_DOMAIN_ID) return undefined
  const root = await userOfCertificate(ROOT_DOMAIN_ID, pem, now)
  const guest = root && (await guests.get(domain.id, root.item.user_id))
  return guest && { user: root, homeDomainId: ROOT_DOMAIN_ID, groupIds: guest.item.group_ids }
}

/**
 * A log-in by the certificate on the connection. Ours: the authorities of the user's own domain decide, and the tokens
 * of the log-in are bound to the certificate, like those of clients. A certificate cannot be guessed, so refusals do
 * not cause a lock; but a lock after failed passwords also applies to certificates.
 * @throws Refusal LOGIN_FAILED
 */
export const userCertificateGrant: Grant = async (context: Context, request) => {
  const { now, changes, clientCertificate: pem } = context
  const domain = await domainNamed(domainAsked(request))
  const candidate = domain && pem !== undefined ? await candidateFor(domain, pem, now) : undefined
  if (domain === undefined || pem === undefined || candidate === undefined) throw failed()
  const { user, homeDomainId } = candidate
  const { username, user_id: sub, enabled, allowed_auth_methods: methods } = user.item
  context.setActor({ sub, username, domain: { id: domain.id, name: domain.name } })
  const { logins, locked, groups } = await readLock(context, domain, candidate)
  if (locked || !enabled || !methods.includes('user_certificate')) throw failed()
  countLogin(changes, homeDomainId, sub, logins, now)
  changes.rely(users, homeDomainId, user)
  return opened(context, { user, domain, homeDomainId, groups, boundTo: thumbprintOf(pem) }, request)
}
