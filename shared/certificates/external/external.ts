import { Refusal, ruleBroken } from '../../base/errors.ts'
import { counted } from '../../base/counted.ts'
import type { CommonFields } from '../../base/ids.ts'
import { defined, without } from '../../base/fields.ts'
import { readCertificate } from '../../crypto/x509/certificate.ts'
import type { Context } from '../../http/context.ts'
import { resource } from '../../resource/resource.ts'
import { pointingAt } from '../../vault/keys/material/material.ts'
import { CreateExternalCa, ExternalCa, ExternalCaQuery, UpdateCa } from '../authorities/model.ts'
import { CA_AUDITED, withPurposes } from '../authorities/records.ts'
import { localCas, signedBy } from '../authorities/store.ts'
import { assertServesNoClients } from '../clients/served-by-ca.ts'
import { CERTIFICATE_PARAMETERS, factsOf, filtersOf, isOver } from '../facts.ts'
import { uriOf } from '../identifiers.ts'
import { stageDistrust } from '../trust-store/trusted.ts'
import { relyOnParent } from './parent.ts'
import { childrenOf, externalCas, type StoredExternalCa } from './store.ts'

const stateAt = (row: Pick<StoredExternalCa, 'notAfter'>, now: Date): ExternalCa['state'] =>
  isOver(row, now) ? 'expired' : 'active'

const NOT_SIGNER = ['parent', 'must be the external CA that signed the certificate'] as const

/**
 * Adds the certificate of an external authority.
 * @throws Refusal NAME_TAKEN for the name or the certificate; RULE_BROKEN for a certificate that is not for an
 * authority, or that its parent did not sign; NOT_FOUND for the parent
 */
async function newExternalCa(
  context: Context,
  { name, cert, parent }: CreateExternalCa,
  common: CommonFields,
): Promise<StoredExternalCa> {
  const { isAuthority } = await pointingAt('#/cert', () => readCertificate(cert))
  if (!isAuthority) throw ruleBroken('cert', 'must be the certificate of an authority')
  if (parent !== undefined) await relyOnParent(context, { cert, parentId: parent }, 'parent', NOT_SIGNER)
  return {
    ...common,
    name: name ?? `ca-${common.id}`,
    ...factsOf(cert),
    purpose: { client_authentication: false, user_authentication: false },
    ...defined({ parent_id: parent }),
  }
}

/** @throws Refusal IN_USE while it is the parent of another authority, or clients have its certificates */
async function releaseExternalCa(context: Context, { id, name }: StoredExternalCa): Promise<void> {
  const { caller, changes } = context
  const domain = caller.domain.id
  await stageDistrust(changes, id)
  const local = await changes.relyOnCount(localCas, domain, signedBy(id))
  const count = local + (await changes.relyOnCount(externalCas, domain, childrenOf(id)))
  if (count > 0) throw new Refusal('IN_USE', `The external CA ${name} signed ${counted(count, 'other authority')}.`)
  await assertServesNoClients(context, `The external CA ${name}`, id)
}

/** External authorities. */
export const externalCaResource = resource({
  entity: externalCas,
  noun: 'external CA',
  title: 'External CA',
  at: '/v1/ca/external-cas',
  reads: 'signed-in', // certificates are not secret
  changes: 'ca-admins',
  answers: ExternalCa,
  query: ExternalCaQuery,
  createBody: CreateExternalCa,
  updateBody: UpdateCa,
  uri: (domain, id) => uriOf(domain, 'external-ca', id),
  pointers: { cert: '#/cert' },
  present: (authority, { now }) => ({ ...without(authority, 'parent_id'), state: stateAt(authority, now) }),
  audited: [...CA_AUDITED, 'parent_id'],
  narrow: ({ now }, { state, ...query }) => ({
    answered: CERTIFICATE_PARAMETERS,
    filters: filtersOf(query),
    tests: [state && ((row) => state.includes(stateAt(row, now)))],
  }),
  make: newExternalCa,
  next: withPurposes,
  release: releaseExternalCa,
})
