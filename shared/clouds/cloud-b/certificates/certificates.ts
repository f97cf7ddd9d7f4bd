import { getKey } from '../../../cloud/keys/find-key.ts'
import { creating, type Creation } from '../../../cloud/keys/creation.ts'
import type { Context } from '../../../http/context.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut, type Prepared } from '../../../work/sagas/saga.ts'
import type { CloudBCertificates, CloudBCertificateSpec, CloudBRead } from '../adapter/types.ts'
import { itemActions } from '../items/item-actions.ts'
import type { ItemTypes, Seen } from '../items/item.ts'
import { itemKind } from '../items/kind.ts'
import { listItems } from '../items/list-items.ts'
import { carrier, creatingFrom, planned, vaultBeyondKeys, workOn } from '../items/creation.ts'
import type { CloudBCertificateParam } from '../param.ts'
import { certificatesAdapter } from '../adapter.ts'
import type {
  CloudBCertificate,
  CloudBCertificateQuery,
  CreateCloudBCertificate,
  ImportCloudBCertificate,
  StoredCloudBCertificate,
  UpdateCloudBCertificate,
} from './model.ts'
import { pfxOfAuthority } from './of-authority.ts'
import { cloudBCertificates, type CloudBCertificateRow } from './store.ts'

/** A PFX and its password. */
type Pfx = Pick<CloudBCertificateSpec, 'pfx' | 'password'>

/** The types of cloud-b's certificates. A saga's input contains no PFX. */
interface CertificateTypes extends ItemTypes {
  readonly key: StoredCloudBCertificate
  readonly row: CloudBCertificateRow
  readonly shown: CloudBCertificate
  readonly spec: Omit<CloudBCertificateSpec, keyof Pfx>
  readonly read: CloudBRead<CloudBCertificateParam>
  readonly whole: Seen<CloudBCertificateParam>
  readonly own: Omit<CloudBCertificates, 'create' | 'read' | 'refs' | 'survey'>
}

export const certificateKind = itemKind<CertificateTypes>({
  noun: 'certificate',
  entity: cloudBCertificates,
  cloud: certificatesAdapter,
  nameOf: ({ cert_name }) => cert_name,
  idOf: ({ id }) => id,
  hidden: ['key_material_origin'],
  own: (cert_name) => ({ cert_name }),
})
export const CERTIFICATE_ACTIONS = itemActions(certificateKind)

/** Requests a certificate, or a version of one. It may then wait for its issuer. */
export const creatingCloudBCertificate = creating('create-cloud-b-certificate', certificateKind)

const carriedPfx = carrier<Pfx>('PFX of a certificate')
/** Imports a certificate and its key. */
export const importingCloudBCertificate = creatingFrom<CertificateTypes, Pfx>(
  'import-cloud-b-certificate',
  certificateKind,
  carriedPfx,
  async (place, spec, pfx, journal) => certificatesAdapter.create(place, { ...spec, ...pfx }, journal),
)

const prepared =
  (
    context: Context,
    action: string,
    { cert_name: name, key_vault, cloud_b_param }: CreateCloudBCertificate | ImportCloudBCertificate,
  ) =>
  async (): Promise<Prepared<Creation<CertificateTypes>>> => {
    const vault = await vaultBeyondKeys(context, key_vault, action)
    const input = planned<CertificateTypes>(context, vault, { name, ...cloud_b_param })
    return workOn(certificateKind, input)
  }

type Answer = Promise<Stored<CloudBCertificate>>

/** @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT, and refusals of the cloud */
export const createCertificate = (context: Context, body: CreateCloudBCertificate): Answer =>
  carryOut(context, creatingCloudBCertificate, prepared(context, 'certificatecreate', body))

/** The file of a body: its own, or one made of a certificate of a local authority. */
function pfxOf(context: Context, body: ImportCloudBCertificate): Promise<Pfx> {
  const { pfx, password, caid, source_cert_identifier, private_key_pem } = body
  if (caid === undefined || source_cert_identifier === undefined || private_key_pem === undefined)
    return Promise.resolve({ pfx, password })
  return pfxOfAuthority(context, { caid, source_cert_identifier, private_key_pem })
}

/** @throws Refusal as `createCertificate`, and of `pfxOfAuthority` */
export async function importCertificate(context: Context, body: ImportCloudBCertificate): Answer {
  await carriedPfx.carry(context, () => pfxOf(context, body))
  return carryOut(context, importingCloudBCertificate, prepared(context, 'certificateupload', body))
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT, and refusals of the cloud */
export const updateCertificate = (context: Context, id: string, body: UpdateCloudBCertificate): Answer =>
  CERTIFICATE_ACTIONS.act(context, 'edit', id, body)

/** @throws Refusal NOT_FOUND */
export const getCertificate = (context: Context, id: string): Answer =>
  getKey<CertificateTypes>(certificateKind, context, id)

/** Versions that the caller may see. */
export const listCertificates = (
  context: Context,
  query: CloudBCertificateQuery,
): Promise<ResourceList<CloudBCertificate>> =>
  listItems(certificateKind, context, query, { cert_name: query.cert_name }, { own: [], tests: [] })
