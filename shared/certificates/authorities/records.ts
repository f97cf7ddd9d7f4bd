import { Refusal } from '../../base/errors.ts'
import { without } from '../../base/fields.ts'
import { hasGroup, type Context } from '../../http/context.ts'
import { ADMIN_GROUP } from '../../identity/groups/model.ts'
import type { Kind } from '../../resource/kind.ts'
import { isOver } from '../facts.ts'
import { uriOf } from '../identifiers.ts'
import { stageTrust, type Authority } from '../trust-store/trusted.ts'
import type { LocalCa, UpdateCa } from './model.ts'
import { localCas, type LocalCaRow, type StoredLocalCa } from './store.ts'

/** The state of an authority: its certificate activates it, and its expiry ends it. */
export function caStateAt({ notAfter }: Pick<StoredLocalCa, 'notAfter'>, now: Date): LocalCa['state'] {
  if (notAfter === undefined) return 'pending'
  return isOver({ notAfter }, now) ? 'expired' : 'active'
}

/** Fields of an authority's record in audit records. */
export const CA_AUDITED = ['name', 'subject', 'serialNumber', 'notAfter', 'sha256Fingerprint', 'purpose'] as const

/** Authorities whose keys are in the vault. */
export const localCaKind: Kind<StoredLocalCa, LocalCaRow, LocalCa> = {
  noun: 'local CA',
  entity: localCas,
  uri: (domain, id) => uriOf(domain, 'local-ca', id),
  present: (authority, { now }) => ({ ...without(authority, 'key_id', 'parent_id'), state: caStateAt(authority, now) }),
  audited: [...CA_AUDITED, 'parent_id'],
}

/** @throws Refusal STATE_CONFLICT unless the authority waits for its certificate */
export function assertPending(authority: StoredLocalCa, now: Date): void {
  const state = caStateAt(authority, now)
  if (state !== 'pending')
    throw new Refusal('STATE_CONFLICT', `The local CA ${authority.name} has a certificate already: it is ${state}.`)
}

/** An authority with its certificate. */
export type CertifiedCa = StoredLocalCa & {
  readonly cert: string
  readonly notBefore: string
  readonly notAfter: string
}

/** @throws Refusal STATE_CONFLICT unless the authority is active */
export function certified(authority: StoredLocalCa, now: Date): CertifiedCa {
  const { name, cert, notBefore, notAfter } = authority
  const state = caStateAt(authority, now)
  if (state !== 'active' || cert === undefined || notBefore === undefined || notAfter === undefined)
    throw new Refusal('STATE_CONFLICT', `The local CA ${name} is ${state}.`)
  return { ...authority, cert, notBefore, notAfter }
}

/** An authority with changed purposes, which are also staged for the front door. */
export async function withPurposes<A extends Authority>(
  { changes, caller }: Pick<Context, 'changes' | 'caller'>,
  authority: A,
  { allow_client_authentication: client, allow_user_authentication: user }: UpdateCa,
): Promise<A> {
  const { client_authentication, user_authentication } = authority.purpose
  // Ours: an authority with this flag could log in any user, a member of admin among them.
  if (user === true && !user_authentication && !hasGroup(caller, ADMIN_GROUP))
    throw new Refusal('ACTION_DENIED', 'Only members of admin decide which authorities log in users.')
  const purpose = {
    client_authentication: client ?? client_authentication,
    user_authentication: user ?? user_authentication,
  }
  const changed = { ...authority, purpose }
  await stageTrust(changes, caller.domain.id, changed)
  return changed
}
