import { Refusal } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import type { RegisteredClient } from '../../identity/clients/model.ts'
import { changeRecord } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { certificateStateAt } from '../issued/records.ts'
import { stageRevocation } from '../issued/revoke.ts'
import { issuedCertificates, serialOf } from '../issued/store.ts'
import { certificatesOf } from './client-certificates.ts'
import { clientKind } from './client-kind.ts'
import type { RevokeClient } from './model.ts'

/** Ours: the certificates that one transaction revokes. All but the last two of a client are revoked by renewals. */
const REVOKED_MOST = 20

/**
 * Stages that a certificate of a client is revoked, if a local authority issued it and it is not over.
 * @returns whether it is
 */
export async function revokeSerial(
  context: Context,
  { ca_id, serial_number }: { readonly ca_id: string; readonly serial_number: string },
  reason: RevokeClient['reason'],
): Promise<boolean> {
  const { caller, now } = context
  const stored = await issuedCertificates.find(caller.domain.id, 'serial', serialOf(ca_id, serial_number))
  const state = stored && certificateStateAt(stored.item, now)
  if (stored === undefined || (state !== 'active' && state !== 'hold')) return false
  context.uses('RevokeCertificate', stored.item)
  await stageRevocation(context, stored, reason)
  return true
}

/**
 * Revokes a client permanently, with its certificates.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT for a revoked client
 */
export const revokeClient = (context: Context, id: string, body: RevokeClient): Promise<Stored<RegisteredClient>> =>
  changeRecord(clientKind, context, id, async (client) => {
    if (client.revoked_at !== undefined)
      throw new Refusal('STATE_CONFLICT', `The client ${client.name} is revoked already.`)
    let revoked = 0
    for (const one of await certificatesOf(client))
      if (revoked < REVOKED_MOST && (await revokeSerial(context, one, body.reason))) revoked += 1
    return { ...client, revoked_at: context.now.toISOString(), revoked_reason: body.reason }
  })
