import { Refusal, ruleBroken } from '../../base/errors.ts'
import { counted } from '../../base/counted.ts'
import { commonFields, uuid } from '../../base/ids.ts'
import { picked, without } from '../../base/fields.ts'
import { readCertificate } from '../../crypto/x509/certificate.ts'
import type { Context } from '../../http/context.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import type { ManagedKind } from '../../resource/kinds.ts'
import { assertNameFree, changeRecord, getRecord, removeRecord, stageNew } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { pageOf } from '../../store/list.ts'
import { pointingAt } from '../../vault/keys/material/material.ts'
import type { CreateExternalCa, ExternalCa, ExternalCaQuery, UpdateCa } from '../authorities/model.ts'
import { CA_AUDITED, purposesAfter } from '../authorities/records.ts'
import { localCas, signedBy } from '../authorities/store.ts'
import { assertServesNoClients } from '../clients/served-by-ca.ts'
import { factsOf, filtersOf, isOver } from '../facts.ts'
import { uriOf } from '../identifiers.ts'
import { stageDistrust, stageTrust } from '../trust-store/trusted.ts'
import { relyOnParent } from './parent.ts'
import { childrenOf, externalCas, type ExternalCaRow, type StoredExternalCa } from './store.ts'

const stateAt = (row: Pick<StoredExternalCa, 'notAfter'>, now: Date): ExternalCa['state'] =>
  isOver(row, now) ? 'expired' : 'active'

const externalCaKind = (now: Date): ManagedKind<StoredExternalCa, ExternalCaRow, ExternalCa> => ({
  noun: 'external CA',
  entity: externalCas,
  pointers: { cert: '#/cert' },
  present: ({ item, rev }) => ({ item: { ...without(item, 'parent_id'), state: stateAt(item, now) }, rev }),
  audited: (authority) => picked(authority, ...CA_AUDITED, 'parent_id'),
})

export const listExternalCas = (context: Context, query: ExternalCaQuery): Promise<ResourceList<ExternalCa>> => {
  const { caller, now } = context
  const { id, name, state } = query
  return listed(externalCas, caller.domain.id, query, {
    served: 'all',
    filters: {
      id,
      ...filtersOf(query),
    },
    patterns: { name },
    matches: (row) => state === undefined || state.includes(stateAt(row, now)),
    matchesNarrows: state !== undefined,
    present: (stored) => externalCaKind(now).present(stored).item,
  })
}

/** @throws Refusal NOT_FOUND */
export const getExternalCa = (context: Context, id: string): Promise<Stored<ExternalCa>> =>
  getRecord(externalCaKind(context.now), context, id)

const NOT_SIGNER = ['parent', 'must be the external CA that signed the certificate'] as const

/**
 * Takes in the certificate of an authority elsewhere.
 * @throws Refusal NAME_TAKEN for the name or the certificate; RULE_BROKEN for what is not the certificate of an authority, or
 * that its parent did not sign; NOT_FOUND for the parent
 */
export async function createExternalCa(context: Context, body: CreateExternalCa): Promise<Stored<ExternalCa>> {
  const { caller, now } = context
  const domain = caller.domain.id
  const kind = externalCaKind(now)
  const id = uuid(now)
  const { name = `ca-${id}`, cert, parent } = body
  const { isAuthority } = await pointingAt('#/cert', () => readCertificate(cert))
  if (!isAuthority) throw ruleBroken('cert', 'must be the certificate of an authority')
  await assertNameFree(kind, context, name)
  if (parent !== undefined) await relyOnParent(context, { cert, parentId: parent }, 'parent', NOT_SIGNER)
  return stageNew(kind, context, {
    ...commonFields(domain, id, uriOf(domain, 'external-ca', id), now),
    name,
    ...factsOf(cert),
    purpose: { client_authentication: false, user_authentication: false },
    ...(parent !== undefined && { parent_id: parent }),
  })
}

/** @throws Refusal NOT_FOUND, VERSION_STALE */
export const updateExternalCa = (context: Context, id: string, body: UpdateCa): Promise<Stored<ExternalCa>> =>
  changeRecord(externalCaKind(context.now), context, id, async (authority) => {
    const changed = { ...authority, purpose: purposesAfter(authority.purpose, body) }
    await stageTrust(context.changes, context.caller.domain.id, changed)
    return changed
  })

const NONE = { skip: 0, limit: 0 }

/** @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE while it is named as the one that signed another, or clients have its certificates */
export async function deleteExternalCa(context: Context, id: string): Promise<void> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  await stageDistrust(changes, id)
  await removeRecord(externalCaKind(now), context, id, async ({ name }) => {
    const [local, external] = await Promise.all([
      pageOf(localCas, domain, signedBy(id), NONE),
      pageOf(externalCas, domain, childrenOf(id), NONE),
    ])
    const count = local.total + external.total
    if (count > 0) throw new Refusal('IN_USE', `The external CA ${name} signed ${counted(count, 'other authority')}.`)
    await assertServesNoClients(domain, `The external CA ${name}`, id)
  })
}
