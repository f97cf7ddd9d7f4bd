import { Refusal } from '../../base/errors.ts'
import { thumbprintOf } from '../../crypto/x509/thumbprint.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { certificateTrust } from '../certificate-trust.ts'
import { isSystemGroup } from '../groups/model.ts'
import { groups } from '../groups/store.ts'
import { heldGroupIds, users, type StoredUser } from '../users/store.ts'
import { subjectKeyOf } from '../users/ways-in.ts'

/** Whether a user is in a group that comes with the service, here or in a child domain. */
async function isPrivileged(domainId: string, user: StoredUser): Promise<boolean> {
  if (user.guest_in.length > 0) return true
  const held = await groups.getMany(domainId, heldGroupIds(user), 'salvage')
  return held.some(({ item, damage }) => damage !== undefined || isSystemGroup(item.name))
}

/**
 * The user of a domain with the certificate's subject, if an authority of that domain trusts the certificate. Ours: a
 * member of a system group needs one that a member of `admin` issued, also if it is older than the membership, since
 * others may have issued it to themselves.
 */
export async function userOfCertificate(
  domainId: string,
  pem: string,
  now: Date,
): Promise<Stored<StoredUser> | undefined> {
  const { trusted, isByAdmin } = await certificateTrust()
  const certificate = await trusted(domainId, pem, 'user', now)
  const key = certificate && subjectKeyOf(certificate.subject)
  const user = key === undefined ? undefined : await users.find(domainId, 'subject', key)
  if (user === undefined || certificate === undefined) return undefined
  return !(await isPrivileged(domainId, user.item)) || (await isByAdmin(domainId, certificate)) ? user : undefined
}

/**
 * Ours: a log-in by certificate can only be renewed with a certificate, so that it ends with the certificate: by its
 * expiry, its revocation, or the flag of its authority.
 * @returns SHA-256 of the certificate to which the next token is bound
 * @throws Refusal TOKEN_INVALID
 */
export async function provenAgain(
  { clientCertificate: pem, now }: Pick<Context, 'clientCertificate' | 'now'>,
  homeDomainId: string,
  { user_id: userId }: StoredUser,
): Promise<string> {
  const proven = pem === undefined ? undefined : await userOfCertificate(homeDomainId, pem, now)
  if (pem === undefined || proven?.item.user_id !== userId)
    throw new Refusal(
      'TOKEN_INVALID',
      'A log-in by certificate is renewed at the host with mutual TLS, with a certificate of its user.',
    )
  return thumbprintOf(pem)
}
