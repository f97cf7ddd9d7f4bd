import type { CloudAAction } from '../actions.ts'
import { findContainerFor } from '../../../cloud/containers/find-container.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import type { ContainerKind } from '../../../cloud/containers/kind.ts'
import { RECORDED_ALONE } from '../../../cloud/containers/model.ts'
import { Refusal } from '../../../base/errors.ts'
import { defined, without } from '../../../base/fields.ts'
import type { CloudAKms } from './model.ts'
import { cloudAKms, type CloudAKmsRow, type StoredCloudAKms } from './store.ts'

/** `view` is an older name of both together. */
const BOTH = ['viewnative', 'viewbyok'] as const

/** The view actions that an action implies: those of the keys that it creates or changes. */
const VIEWS: Readonly<Record<CloudAAction, readonly CloudAAction[]>> = {
  view: BOTH,
  viewnative: [],
  viewbyok: [],
  keycreate: ['viewnative'],
  keyupload: ['viewbyok'],
  keyupdate: BOTH,
  keyrotate: BOTH,
  keydelete: BOTH,
  keycanceldelete: BOTH,
  keymaterialimport: ['viewbyok'],
  keymaterialdelete: ['viewbyok'],
  keysynchronize: BOTH,
  keybulkoperation: BOTH,
  viewhyokkey: [],
  hyokkeycreate: ['viewhyokkey'],
  hyokkeyblockunblock: ['viewhyokkey'],
  hyokkeydelete: ['viewhyokkey'],
  hyokkeylink: ['viewhyokkey'],
  viewcloudhsmkey: [],
  cloudhsmkeycreate: ['viewcloudhsmkey'],
  cloudhsmkeydelete: ['viewcloudhsmkey'],
  viewkeystore: [],
  keystoreadd: ['viewkeystore'],
  keystoreupdate: ['viewkeystore'],
  keystoredelete: ['viewkeystore'],
  keystoreblock: ['viewkeystore'],
  keystoreunblock: ['viewkeystore'],
  keystoreconnect: ['viewkeystore'],
  keystoredisconnect: ['viewkeystore'],
  keystorelink: ['viewkeystore'],
  reportview: [],
  reportcreate: ['reportview'],
  reportdelete: ['reportview'],
  reportdownload: ['reportview'],
}
const VIEWS_BY_NAME = new Map<string, readonly string[]>(Object.entries(VIEWS))

/** When the whole entry was last read: the earliest time of its regions; `undefined` if one was never read. */
function lastSynchronizedAt({ regions, synchronized }: StoredCloudAKms): string | undefined {
  const times = regions.map((region) => synchronized[region])
  return times.includes(undefined) ? undefined : times.filter((time) => time !== undefined).sort()[0]
}

/** An entry as shown. */
function presentKms(kms: StoredCloudAKms): CloudAKms {
  const last_synchronized_at = lastSynchronizedAt(kms)
  return {
    ...without(kms, ...RECORDED_ALONE, 'synchronized'),
    ...defined({ last_synchronized_at }),
  }
}

/** @throws Refusal STATE_CONFLICT */
export function assertActive({ name, status }: StoredCloudAKms): void {
  if (status === 'archived') throw new Refusal('STATE_CONFLICT', `The KMS entry ${name} is archived: recover it first.`)
}

/**
 * The entry that a body names, with one of its regions. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT,
 * RULE_BROKEN
 */
export async function kmsOfBody(
  context: Context,
  { kms, region }: { readonly kms: string; readonly region: string },
  may: CloudAAction,
): Promise<Stored<StoredCloudAKms>> {
  const found = await findContainerFor(kmsKind, context, kms, may, { pointer: '#/kms', detail: 'is not there' })
  assertRegion(found.item, region)
  return found
}

/** @throws Refusal RULE_BROKEN unless the region is one of the entry's */
export function assertRegion({ name, regions }: StoredCloudAKms, region: string, pointer = '#/region'): void {
  if (regions.includes(region)) return
  throw new Refusal('RULE_BROKEN', `${region} is not a region of the KMS entry ${name}.`, {
    errors: [{ pointer, detail: `must be one of ${regions.join(', ')}` }],
  })
}

/** Entries for accounts and their regions: the containers of cloud-a. */
export const kmsKind: ContainerKind<StoredCloudAKms, CloudAKmsRow, CloudAKms> = {
  entity: cloudAKms,
  noun: 'KMS entry',
  nameOf: ({ name }) => name,
  namedBy: 'name',
  views: ['viewnative', 'viewbyok', 'viewhyokkey', 'viewcloudhsmkey', 'viewkeystore', 'reportview'],
  viewOf: (action) => VIEWS_BY_NAME.get(action) ?? [],
  kept: (change) => ({ ...change, actions: change.actions.flatMap((action) => (action === 'view' ? BOTH : [action])) }),
  audited: [
    'name',
    'account_id',
    'arn',
    'assume_role_arn',
    'assume_role_external_id',
    'connection',
    'regions',
    'cloud_name',
    'status',
    'acls',
  ],
  regions: ({ regions }) => regions,
  present: presentKms,
  assertActive,
}
