import { Refusal, type BrokenField } from '../../../base/errors.ts'
import { counted } from '../../../base/counted.ts'
import { uuid } from '../../../base/ids.ts'
import { findContainerFor } from '../../../cloud/containers/find-container.ts'
import { creating } from '../../../cloud/keys/creation.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { containersAsked, listKeys } from '../../../cloud/keys/list-keys.ts'
import { removeKey } from '../../../cloud/keys/record-key.ts'
import type { Context } from '../../../http/context.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { crmSecrets, secretsOfCertificate } from '../keys/store.ts'
import { organizationKind } from '../organizations/kind.ts'
import { certificateKind, type CertificateTypes } from './kind.ts'
import type { CreateCrmCertificate, CrmCertificate, CrmCertificateQuery } from './model.ts'
import { crmCertificateRecords, type StoredCrmCertificate } from './store.ts'

/** Lets the cloud create a certificate. */
export const creatingCertificate = creating('create-crm-certificate', certificateKind)

const VIEW = 'view'
const ORGANIZATION: BrokenField = { pointer: '#/organization_id', detail: 'is no organization that you may see' }

/** @throws Refusal NOT_FOUND, ACTION_DENIED, and the cloud's own for a name that is taken */
export const createCertificate = (context: Context, body: CreateCrmCertificate): Promise<Stored<CrmCertificate>> =>
  carryOut(context, creatingCertificate, async () => {
    const { organization_id, ...spec } = body
    const { item } = await findContainerFor(organizationKind, context, organization_id, 'keycreate', ORGANIZATION)
    const id = uuid(context.now)
    return { id, container: item.id, input: { id, home: { container: item.id, region: '' }, spec } }
  })

/** The certificates that the caller may see. */
export async function listCertificates(
  context: Context,
  query: CrmCertificateQuery,
): Promise<ResourceList<CrmCertificate>> {
  const asked = { named: query.organization_id, ids: undefined }
  return listKeys(certificateKind, context, query, {
    containers: await containersAsked<CertificateTypes>(organizationKind, context, asked, [VIEW], 'organization_id'),
    patterns: { name: query.name },
    own: ['organization_id'],
    tests: [],
    narrowBy: 'organization_id, createdAfter and createdBefore',
  })
}

/**
 * Removes the record of a certificate; the cloud keeps the certificate.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, IN_USE for one that wraps a tenant secret
 */
export async function removeCertificate(context: Context, id: string): Promise<void> {
  const found = await findKeyFor(certificateKind, context, id, 'keydelete')
  assertIfMatch(context, found.stored)
  const { length } = await crmSecrets.members(context.caller.domain.id, secretsOfCertificate(id))
  if (length > 0)
    throw new Refusal('IN_USE', `${counted(length, 'tenant secret')} of the organization used the certificate.`)
  removeKey(certificateKind, context, found)
}

/**
 * The certificate that a body names, of the organization. Stages that it is not removed at the same time.
 * @throws Refusal NOT_FOUND, also for a certificate of another organization; RULE_BROKEN for one that is gone
 */
export async function certificateFor(
  { caller, changes }: Pick<Context, 'caller' | 'changes'>,
  id: string,
  organization: string,
): Promise<StoredCrmCertificate> {
  const domain = caller.domain.id
  const stored = await crmCertificateRecords.get(domain, id)
  if (stored === undefined || stored.item.organization_id !== organization)
    throw new Refusal('NOT_FOUND', 'The organization has no such certificate.', {
      errors: [{ pointer: '#/certificate_id', detail: 'is no certificate of the organization' }],
    })
  if (stored.item.gone)
    throw new Refusal('RULE_BROKEN', 'The cloud no longer has the certificate.', {
      errors: [{ pointer: '#/certificate_id', detail: 'must be a certificate that the organization still has' }],
    })
  changes.update(crmCertificateRecords, domain, stored, stored.item)
  return stored.item
}
