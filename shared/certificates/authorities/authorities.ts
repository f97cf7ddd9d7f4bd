import { counted } from '../../base/counted.ts'
import { Refusal } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import { resource } from '../../resource/resource.ts'
import { forgetEndpoint } from '../../store/owner.ts'
import { assertServesNoClients } from '../clients/served-by-ca.ts'
import { CERTIFICATE_PARAMETERS, filtersOf } from '../facts.ts'
import { LOCAL_CAS } from '../identifiers.ts'
import { issuedBy, issuedCertificates } from '../issued/store.ts'
import { stageDistrust } from '../trust-store/trusted.ts'
import { newLocalCa } from './create.ts'
import { CreateLocalCa, LocalCa, LocalCaQuery, UpdateCa } from './model.ts'
import { caStateAt, localCaKind, withPurposes } from './records.ts'
import { CA_OWNER, type StoredLocalCa } from './store.ts'

/**
 * Stages the deletion of an authority's other data; its local key stays in the vault. Ours: an authority with records
 * of certificates cannot be deleted, since their revocations could no longer be published.
 * @throws Refusal IN_USE
 */
async function releaseLocalCa(context: Context, { id, name }: StoredLocalCa): Promise<void> {
  const { caller, changes } = context
  const count = await changes.relyOnCount(issuedCertificates, caller.domain.id, issuedBy(id))
  if (count > 0) throw new Refusal('IN_USE', `The local CA ${name} has ${counted(count, 'certificate')}.`)
  await assertServesNoClients(context, `The local CA ${name}`, id)
  await stageDistrust(changes, id)
  forgetEndpoint(changes, CA_OWNER, id)
}

/** Authorities whose keys are in the vault. A new one waits for its certificate. */
export const localCaResource = resource({
  ...localCaKind,
  title: 'Local CA',
  at: LOCAL_CAS,
  reads: 'signed-in', // certificates are not secret
  changes: 'ca-admins',
  answers: LocalCa,
  query: LocalCaQuery,
  createBody: CreateLocalCa,
  updateBody: UpdateCa,
  narrow: ({ now }, { state, ...query }) => ({
    answered: CERTIFICATE_PARAMETERS,
    filters: filtersOf(query),
    tests: [state && ((row) => state.includes(caStateAt(row, now)))],
  }),
  make: newLocalCa,
  next: withPurposes,
  release: releaseLocalCa,
})
