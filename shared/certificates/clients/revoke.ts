import { Refusal } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import type { RegisteredClient } from '../../identity/clients/model.ts'
import type { StoredClient } from '../../identity/clients/store.ts'
import { changeRecord } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { certificateStateAt } from '../issued/records.ts'
import { stageRevocation } from '../issued/revoke.ts'
import { issuedCertificates, serialOf } from '../issued/store.ts'
import { clientKind } from './client-kind.ts'
import type { RevokeClient } from './model.ts'

/** Authority and serial number of the client's certificate, and of the previous one. */
const serialsOf = ({ ca_id, serial_number, former }: StoredClient): string[] => [
  serialOf(ca_id, serial_number),
  ...(former === undefined ? [] : [serialOf(former.ca_id ?? ca_id, former.serial_number)]),
]

/** Stages the revocation of a client's certificates, if a local authority issued them. */
async function revokeCertificates(context: Context, client: StoredClient, { reason }: RevokeClient): Promise<void> {
  const { caller, now } = context
  for (const serial of serialsOf(client)) {
    const stored = await issuedCertificates.find(caller.domain.id, 'serial', serial)
    const state = stored && certificateStateAt(stored.item, now)
    if (stored && (state === 'active' || state === 'hold')) await stageRevocation(context, stored, reason)
  }
}

/**
 * Revokes a client permanently, with its certificates.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT for a revoked client
 */
export const revokeClient = (context: Context, id: string, body: RevokeClient): Promise<Stored<RegisteredClient>> =>
  changeRecord(clientKind, context, id, async (client) => {
    if (client.revoked_at !== undefined)
      throw new Refusal('STATE_CONFLICT', `The client ${client.name} is revoked already.`)
    await revokeCertificates(context, client, body)
    return { ...client, revoked_at: context.now.toISOString(), revoked_reason: body.reason }
  })
