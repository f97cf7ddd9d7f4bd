import { hash } from 'node:crypto'
import { Refusal, ruleBroken } from '../../base/errors.ts'
import { without } from '../../base/fields.ts'
import { spelledName } from '../../crypto/x509/name-text.ts'
import { withoutPassword } from '../groups/model.ts'
import type { StoredUser } from './store.ts'

/**
 * Key of a certificate's subject in the table. @param subject as text of RFC 4514 @returns undefined for a text that is
 * not a name
 */
export function subjectKeyOf(subject: string): string | undefined {
  const spelled = spelledName(subject)
  return spelled === undefined ? undefined : hash('sha256', spelled, 'base64url')
}

/** A user whose certificate subject has its canonical spelling and its key. */
export function withSubject(user: StoredUser): StoredUser {
  const { certificate_subject_dn: subject } = user
  const spelled = subject === undefined ? undefined : spelledName(subject)
  const key = spelled === undefined ? undefined : subjectKeyOf(spelled)
  if (spelled === undefined || key === undefined) return without(user, 'subject_key')
  return { ...user, certificate_subject_dn: spelled, subject_key: key }
}

export const subjectTaken = (): Refusal =>
  new Refusal('NAME_TAKEN', 'Another user logs in with certificates of this subject already.', {
    errors: [{ pointer: '#/certificate_subject_dn', detail: 'is taken' }],
  })

/**
 * Requires that the user has a possible way to log in. Ours: administrators of a domain need a password, since
 * certificates expire and can be revoked.
 * @throws Refusal RULE_BROKEN, STATE_CONFLICT for an administrator
 */
export function assertWayIn(
  { allowed_auth_methods: methods, certificate_subject_dn: subject, connection_id: connectionId }: StoredUser,
  isAdministrator: boolean,
): void {
  if (methods.includes('password') || connectionId !== undefined) return
  if (subject === undefined)
    throw ruleBroken('certificate_subject_dn', 'is required of a user who logs in by certificate alone')
  if (isAdministrator) throw withoutPassword()
}
