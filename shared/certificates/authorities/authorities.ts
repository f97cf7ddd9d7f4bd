import { counted } from '../../base/counted.ts'
import { Refusal } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import { forgetEndpoint } from '../../store/owner.ts'
import { changeRecord, getRecord, removeRecord } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { assertServesNoClients } from '../clients/served-by-ca.ts'
import { issuedBy, issuedCertificates } from '../issued/store.ts'
import { filtersOf } from '../facts.ts'
import { stageDistrust, stageTrust } from '../trust-store/trusted.ts'
import type { LocalCa, LocalCaQuery, UpdateCa } from './model.ts'
import { caStateAt, localCaKind, purposesAfter } from './records.ts'
import { CA_OWNER, localCas } from './store.ts'

export const listLocalCas = (context: Context, query: LocalCaQuery): Promise<ResourceList<LocalCa>> => {
  const { caller, now } = context
  const { id, name, state } = query
  return listed(localCas, caller.domain.id, query, {
    served: 'all',
    filters: {
      id,
      ...filtersOf(query),
    },
    patterns: { name },
    matches: (row) => state === undefined || state.includes(caStateAt(row, now)),
    matchesNarrows: state !== undefined,
    present: (stored) => localCaKind(now).present(stored).item,
  })
}

/** @throws Refusal NOT_FOUND */
export const getLocalCa = (context: Context, id: string): Promise<Stored<LocalCa>> =>
  getRecord(localCaKind(context.now), context, id)

/** @throws Refusal NOT_FOUND, VERSION_STALE */
export const updateLocalCa = (context: Context, id: string, body: UpdateCa): Promise<Stored<LocalCa>> =>
  changeRecord(localCaKind(context.now), context, id, async (authority) => {
    const changed = { ...authority, purpose: purposesAfter(authority.purpose, body) }
    await stageTrust(context.changes, context.caller.domain.id, changed)
    return changed
  })

/**
 * Deletes an authority. Its local key stays in the vault. Ours: while there are records of its certificates it stays, since
 * their revocations could not be published any more.
 * @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE
 */
export async function deleteLocalCa(context: Context, id: string): Promise<void> {
  const { caller, changes, now } = context
  await removeRecord(localCaKind(now), context, id, async ({ name }) => {
    const count = await changes.relyOnCount(issuedCertificates, caller.domain.id, issuedBy(id))
    if (count > 0) throw new Refusal('IN_USE', `The local CA ${name} has ${counted(count, 'certificate')}.`)
    await assertServesNoClients(caller.domain.id, `The local CA ${name}`, id)
  })
  await stageDistrust(changes, id)
  forgetEndpoint(changes, CA_OWNER, id)
}
