import type * as z from 'zod'
import { defined } from '../../base/fields.ts'
import { PARTITIONS } from './adapter/partitions.ts'
import type { CloudAPlace } from './adapter/types.ts'
import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { reportModel, type ReportedPlace } from './report-model.ts'
import { cloudAKeys, placeOfKeys, type StoredCloudAKey } from './keys/store.ts'
import type { StoredCloudAKms } from './kms/store.ts'
import type { ContentRow, ReportContainer } from '../../work/report/store.ts'
import { assertMay } from '../../cloud/containers/acl.ts'
import { containersWith, reportOn } from '../../cloud/keys/report-keys.ts'
import { ROWS_A_PAGE, type Reported } from '../../work/report/reported.ts'
import { findContainer } from '../../cloud/containers/find-container.ts'
import { assertActive, assertRegion, kmsKind } from './kms/kind.ts'
import { cloudA } from './adapter.ts'
import { openPlace } from './place.ts'
import { entryWith } from './synchronized.ts'
import { NAME } from './name.ts'

/** A region of an entry, in which all keys of a container live. */
interface Home {
  readonly kms: StoredCloudAKms
  readonly region: string
}

/** Fields of every row about a key of a place. */
const about =
  ({ kms, region }: Home) =>
  (ref: string, key: StoredCloudAKey | undefined): ContentRow => ({
    key_name: key?.cloud_a_param.Alias[0] ?? ref,
    key_arn:
      key?.cloud_a_param.Arn ?? `arn:${PARTITIONS[kms.cloud_name].name}:kms:${region}:${kms.account_id}:key/${ref}`,
    kms: kms.name,
    region,
    account_id: kms.account_id,
    cloud_name: kms.cloud_name,
    key_expiration: key?.cloud_a_param.ValidTo ?? null,
  })

/** Operations on the keys of a place, from the log group that the account's trail writes to. */
const trailEntries =
  (place: CloudAPlace, span: { readonly logGroup: string; readonly from: Date; readonly to: Date }) =>
  async (cursor: string | undefined) => {
    const { entries, next } = await cloudA.activity(place, { ...span, limit: ROWS_A_PAGE, cursor })
    return { entries, next }
  }

/** Ours: a key's age counts from the last known time it got new material. */
function ageOf({ cloud_a_param: param, rotated_at, createdAt }: StoredCloudAKey) {
  const rotated = param.OnDemandRotationStartDate ?? rotated_at
  return { ref: param.KeyID, since: rotated ?? param.CreationDate ?? createdAt, isRotated: rotated !== undefined }
}

const UNNAMED_LOG = new Refusal(
  'RULE_BROKEN',
  'No log group is named: name the one to which the trail of the account writes.',
)

/** The places in one member of a body: the named region, or every region of the entry. */
async function placesOf(
  context: Context,
  { kms: reference, region, log_group: source }: ReportedPlace,
  at: number,
): Promise<ReportContainer[]> {
  const detail = 'is no KMS entry that you may see'
  const { item: kms } = await findContainer(kmsKind, context, reference, {
    pointer: `#/cloud_a_params/${at}/kms`,
    detail,
  })
  assertMay(context.caller, kms, 'reportcreate')
  assertActive(kms)
  if (region !== undefined) assertRegion(kms, region, `#/cloud_a_params/${at}/region`)
  return (region === undefined ? kms.regions : [region]).map((place) => ({
    id: kms.id,
    name: `${kms.name}/${place}`,
    listed: kms.name,
    place,
    ...defined({ source }),
  }))
}

/** Regions of cloud-a's accounts. */
export const cloudAReported: Reported<z.infer<typeof reportModel.create>> = {
  cloud: NAME,
  listedAs: 'kms',
  schemas: reportModel,
  columns: [
    ['key name', 'key_name'],
    ['kms', 'kms'],
    ['key activity', 'key_activity'],
    ['account', 'account_id'],
    ['region', 'region'],
    ['modified date', 'modified_time'],
    ['user', 'user_name'],
    ['key arn', 'key_arn'],
    ['key expiration', 'key_expiration'],
    ['origin', 'origin'],
    ['cloud', 'cloud_name'],
  ],
  named: async (context, { cloud_a_params: params }) =>
    (await Promise.all(params.map((each, at) => placesOf(context, each, at)))).flat(),
  containersWith: containersWith(kmsKind, 'deleting KMS entries'),
  open: async (domain, container, report, { now, budget }) => {
    const { id, place: region, source } = container
    const kms = await entryWith(domain, id, region)
    const keys = { domain, keys: cloudAKeys, family: placeOfKeys(id, region), about: about({ kms, region }) }
    const log = async () => {
      if (source === undefined) throw UNNAMED_LOG
      const place = await openPlace(domain, kms, { region, now, budget, patience: 'job' })
      const span = { from: new Date(report.start_time), to: new Date(report.end_time) }
      return trailEntries(place, { logGroup: source, ...span })
    }
    return reportOn(report, container, { now, budget }, { keys, ageOf, log })
  },
}
