import { Refusal } from '../../base/errors.ts'
import { picked, without } from '../../base/fields.ts'
import type { ManagedKind } from '../../resource/kinds.ts'
import { isOver } from '../facts.ts'
import type { LocalCa, UpdateCa } from './model.ts'
import { localCas, type LocalCaRow, type StoredLocalCa } from './store.ts'

/** The state of an authority: its certificate makes it active, and ends it. */
export function caStateAt({ notAfter }: Pick<StoredLocalCa, 'notAfter'>, now: Date): LocalCa['state'] {
  if (notAfter === undefined) return 'pending'
  return isOver({ notAfter }, now) ? 'expired' : 'active'
}

/** Fields of an authority's record that audit records tell. */
export const CA_AUDITED = ['name', 'subject', 'serialNumber', 'notAfter', 'sha256Fingerprint', 'purpose'] as const

/** Authorities whose keys are here, as of `now`. */
export const localCaKind = (now: Date): ManagedKind<StoredLocalCa, LocalCaRow, LocalCa> => ({
  noun: 'local CA',
  entity: localCas,
  pointers: {},
  present: ({ item, rev }) => ({
    item: { ...without(item, 'key_id', 'parent_id'), state: caStateAt(item, now) },
    rev,
  }),
  audited: (authority) => picked(authority, ...CA_AUDITED, 'parent_id'),
})

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

type Purposes = LocalCa['purpose']

/** The purposes after a change. */
export const purposesAfter = (
  purpose: Purposes,
  { allow_client_authentication: client, allow_user_authentication: user }: UpdateCa,
): Purposes => ({
  client_authentication: client ?? purpose.client_authentication,
  user_authentication: user ?? purpose.user_authentication,
})
