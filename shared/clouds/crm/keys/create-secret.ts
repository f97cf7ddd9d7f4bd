import { ruleBroken, type BrokenField } from '../../../base/errors.ts'
import { defined } from '../../../base/fields.ts'
import { uuid } from '../../../base/ids.ts'
import { findContainerFor } from '../../../cloud/containers/find-container.ts'
import { creating, type Creation } from '../../../cloud/keys/creation.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, shapeOf } from '../../../vault/keys/material/leave.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { certificateFor } from '../certificates/certificates.ts'
import { organizationKind } from '../organizations/kind.ts'
import type { StoredCrmOrganization } from '../organizations/store.ts'
import { secretKind, type SecretTypes } from './kind.ts'
import type { CreateCrmSecret, CrmSecret, UploadCrmSecret } from './model.ts'

/** Creates a tenant secret, with the cloud's own material or with that of a local key. */
export const creatingSecret = creating('create-crm-secret', secretKind)

const ORGANIZATION: BrokenField = { pointer: '#/organization_id', detail: 'is no organization that you may see' }

/** The organization of a body. @throws Refusal NOT_FOUND, ACTION_DENIED */
export const organizationFor = async (
  context: Context,
  reference: string,
  action: string,
): Promise<StoredCrmOrganization> =>
  (await findContainerFor(organizationKind, context, reference, action, ORGANIZATION)).item

export const LOCAL_SPEC = { algorithm: 'aes', sizeBits: 256 } as const
const WANTED = 'must be a local AES key of 256 bits'

/** The local key of a body. @throws Refusal NOT_FOUND, ACTION_DENIED, UNEXPORTABLE, STATE_CONFLICT, RULE_BROKEN */
export async function sourceNamed(context: Context, reference: string): Promise<StoredLocalKey> {
  const key = await findKeyForCloud(context, reference, '#/source_key_identifier')
  const { algorithm, sizeBits } = shapeOf(key)
  if (algorithm === LOCAL_SPEC.algorithm && sizeBits === LOCAL_SPEC.sizeBits) return key
  throw ruleBroken('source_key_identifier', WANTED)
}

type New = Pick<Creation<SecretTypes>, 'id' | 'home' | 'known'>

/** A new secret of an organization. @param known fields of the record that the cloud does not know */
export const newSecret = (context: Context, organization: StoredCrmOrganization, known: object): New => ({
  id: uuid(context.now),
  home: { container: organization.id, region: '' },
  known: defined(known),
})

const begun = (input: Creation<SecretTypes>) => ({ id: input.id, container: input.home.container, input })

/** @throws Refusal NOT_FOUND, ACTION_DENIED, and the cloud's own: CLOUD_TOO_SOON before the type's period has passed */
export const createSecret = (context: Context, body: CreateCrmSecret): Promise<Stored<CrmSecret>> =>
  carryOut(context, creatingSecret, async () => {
    const organization = await organizationFor(context, body.organization_id, 'keycreate')
    const { type, description = body.name ?? '', name } = body
    return begun({ ...newSecret(context, organization, { name }), spec: { type, description } })
  })

/** @throws Refusal as `createSecret`, and UNEXPORTABLE, STATE_CONFLICT, RULE_BROKEN for a key or certificate that does not fit */
export const uploadSecret = (context: Context, body: UploadCrmSecret): Promise<Stored<CrmSecret>> =>
  carryOut(context, creatingSecret, async () => {
    const organization = await organizationFor(context, body.organization_id, 'keyupload')
    const { type, description = body.name ?? '', name, certificate_id, key_derivation_mode } = body
    const certificate = await certificateFor(context, certificate_id, organization.id)
    const source = await sourceNamed(context, body.source_key_identifier)
    const spec = { type, description, upload: { key_derivation_mode, certificate: certificate.name } }
    return begun({ ...newSecret(context, organization, { name, certificate_id }), spec, local_key_id: source.id })
  })
