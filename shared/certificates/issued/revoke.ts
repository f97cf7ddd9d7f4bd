import { Refusal } from '../../base/errors.ts'
import { picked, without } from '../../base/fields.ts'
import type { Context } from '../../http/context.ts'
import { stageNext } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import type { IssuedCertificate, RevokeCertificate } from './model.ts'
import { certificateKind, certificateStateAt, findCertificateToChange } from './records.ts'
import { revocations, serialOf, type Revocation, type StoredCertificate } from './store.ts'

const conflict = (sentence: string): Refusal => new Refusal('STATE_CONFLICT', sentence)

/**
 * Revokes a certificate, or puts it on hold. Ours: one on hold may be revoked permanently.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT for a revoked or expired one
 */
export async function revokeCertificate(
  context: Context,
  authorityId: string,
  id: string,
  { reason }: RevokeCertificate,
): Promise<Stored<IssuedCertificate>> {
  const stored = await findCertificateToChange(context, authorityId, id)
  const { item } = stored
  const state = certificateStateAt(item, context.now)
  if (state !== 'active' && (state !== 'hold' || reason === 'certificateHold'))
    throw conflict(`The certificate ${item.name} is ${state === 'hold' ? 'on hold' : state} already.`)
  return stageRevocation(context, stored, reason)
}

/** Stages the revocation of a certificate, and its publication. */
export async function stageRevocation(
  context: Context,
  stored: Stored<StoredCertificate>,
  reason: RevokeCertificate['reason'],
): Promise<Stored<IssuedCertificate>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const { item } = stored
  const at = now.toISOString()
  const revocation: Revocation = { ...picked(item, 'ca_id', 'serialNumber', 'notAfter'), at, reason }
  const known = await revocations.get(domain, serialOf(item.ca_id, item.serialNumber))
  if (known === undefined) changes.create(revocations, domain, revocation)
  else changes.update(revocations, domain, known, revocation)
  return stageNext(certificateKind, context, stored, { ...item, revoked_at: at, revoked_reason: reason })
}

/**
 * Takes a certificate off hold.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT for one that is not on hold
 */
export async function resumeCertificate(
  context: Context,
  authorityId: string,
  id: string,
): Promise<Stored<IssuedCertificate>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const stored = await findCertificateToChange(context, authorityId, id)
  const { item } = stored
  const state = certificateStateAt(item, now)
  if (state !== 'hold') throw conflict(`The certificate ${item.name} is not on hold: it is ${state}.`)
  const known = await revocations.get(domain, serialOf(authorityId, item.serialNumber))
  if (known !== undefined) changes.remove(revocations, domain, known)
  return stageNext(certificateKind, context, stored, without(item, 'revoked_at', 'revoked_reason'))
}
