import type { CloudAName, CloudAParam } from '../keys/model.ts'
import type { CustomKeyStore } from '../key-stores/model.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import type { SecretBytes } from '../../../crypto/secret-bytes.ts'
import type { Journal } from '../../../base/journal.ts'
import type { Cloud, RemoteKey } from '../../../cloud/contract.ts'

/** A role whose credentials the cloud issues for a certificate. */
export interface RoleAnywhere {
  readonly anywhere_role_arn: string
  /** PEM, followed by the chain to its authority */
  readonly certificate: string
  /** PEM, PKCS #8 */
  readonly private_key: string
  readonly profile_arn: string
  readonly trust_anchor_arn: string
}

/** Credentials to the cloud: a connection's fields, with opened secrets. */
export interface CloudAConnection {
  /** Cache key, unique to a connection and its revision: cached clients of one are not used for another. */
  readonly key: string
  readonly cloud_name: CloudAName
  /**
   * Absent together with `role_anywhere` if the connection uses a role of the deployment. It never uses the function's
   * own identity.
   */
  readonly access_key_id?: string | undefined
  readonly secret_access_key?: string | undefined
  readonly role_anywhere?: RoleAnywhere | undefined
  /** Region of the token service if `sts_regional_endpoints` is `regional`. */
  readonly region?: string | undefined
  readonly sts_regional_endpoints?: 'legacy' | 'regional' | undefined
  readonly assume_role_arn?: string | undefined
  readonly assume_role_external_id?: string | undefined
}

/** One region of one account, accessed through a connection and possibly a role. */
export interface CloudAPlace {
  readonly connection: CloudAConnection
  /** role of the container, assumed after the connection's own */
  readonly role?: { readonly arn: string; readonly externalId?: string | undefined } | undefined
  readonly account: string
  readonly region: string
  /** the time of the request, or of the job's part */
  readonly now: Date
  /** Aborts every call under way when the request's time is up. */
  readonly budget: AbortSignal
  /** A request stops after a few throttled attempts; a job slows down and continues. */
  readonly patience: 'request' | 'job'
}

/** The identity behind a connection, and a role after it. */
export interface CloudAIdentity {
  readonly account_id: string
  readonly arn: string
}

/** Fields of a description that are read by separate calls, which a key's policy may deny. */
export const PARTS = {
  aliases: ['Alias'],
  tags: ['Tags'],
  policy: ['Policy'],
  rotation: ['KeyRotationEnabled', 'RotationPeriodInDays', 'NextRotationDate', 'OnDemandRotationStartDate'],
} as const satisfies Readonly<Record<string, readonly (keyof CloudAParam)[]>>
export type CloudAPart = keyof typeof PARTS

export interface CloudAKeyRead extends RemoteKey<CloudAParam> {
  /** parts that we may not read; the description lacks them */
  readonly denied?: readonly CloudAPart[] | undefined
}

export interface CloudAKeySpec {
  readonly spec: CloudAParam['CustomerMasterKeySpec']
  readonly usage: NonNullable<CloudAParam['KeyUsage']>
  readonly description?: string | undefined
  /** JSON text of the key policy; default: the cloud's own */
  readonly policy?: string | undefined
  readonly tags: readonly { readonly TagKey: string; readonly TagValue: string }[]
  readonly multiRegion?: boolean | undefined
  readonly bypassPolicyLockoutSafetyCheck?: boolean | undefined
  readonly alias?: string | undefined
  /** RFC 3339; when imported material expires */
  readonly validTo?: string | undefined
  /** without material, which will be imported */
  readonly empty?: boolean | undefined
  /**
   * The store of the key. With `xksKeyId`, an external store of keymgr, which calls the key by that id; otherwise a
   * store of hardware modules.
   */
  readonly keyStore?: { readonly id: string; readonly xksKeyId?: string | undefined } | undefined
}

/** A custom key store as the cloud describes it; built anew at every reading, with fields in the same order. */
export interface CloudAKeyStoreRead {
  readonly ref: string
  readonly param: CustomKeyStore['cloud_a_param']
  /** for an external store, id of the credential pair with which the cloud signs its calls */
  readonly accessKeyId?: string | undefined
}

/** The pair with which the cloud signs its calls to an external store. */
export interface CloudAProxyCredential {
  readonly accessKeyId: string
  /** the text of the secret, in UTF-8 */
  readonly secretAccessKey: SecretBytes
}

/** The address at which the cloud calls an external store, and the network path to it. */
export interface CloudAProxyAddress {
  /** `https://` and a host name */
  readonly endpoint: string
  readonly path: string
  readonly connectivity: 'PUBLIC_ENDPOINT' | 'VPC_ENDPOINT_SERVICE'
  readonly vpcServiceName?: string | undefined
}

export type CloudAKeyStoreSpec =
  | {
      readonly type: 'EXTERNAL_KEY_STORE'
      readonly name: string
      readonly address: CloudAProxyAddress
      readonly credential: CloudAProxyCredential
    }
  | {
      readonly type: 'CLOUD_A_HSM'
      readonly name: string
      readonly clusterId: string
      readonly trustAnchor: string
      /** of the cluster's user; absent once its request has ended, since it is not stored */
      readonly password: string | undefined
    }

/** Changes to a store; absent fields stay. */
export interface CloudAKeyStoreChange {
  readonly name?: string | undefined
  readonly address?: CloudAProxyAddress | undefined
  readonly credential?: CloudAProxyCredential | undefined
  readonly clusterId?: string | undefined
  readonly password?: string | undefined
}

/** A cluster of hardware modules. */
export interface CloudACluster {
  readonly cluster_id: string
  readonly state: string
  readonly number_of_hsms: number
  readonly vpc_id: string
}

export interface CloudAImport {
  readonly spec: CloudAParam['CustomerMasterKeySpec']
  /** RFC 3339 */
  readonly validTo?: string | undefined
  readonly importType?: 'NEW_KEY_MATERIAL' | 'EXISTING_KEY_MATERIAL' | undefined
  readonly description?: string | undefined
  readonly materialId?: string | undefined
}

/** One generation of a key's material, as the cloud lists it. */
export interface CloudARotation {
  readonly KeyMaterialId?: string | undefined
  readonly KeyMaterialState?: string | undefined
  readonly KeyMaterialDescription?: string | undefined
  readonly ImportState?: string | undefined
  readonly RotationType?: string | undefined
  readonly RotationDate?: string | undefined
  readonly ExpirationModel?: string | undefined
  readonly ValidTo?: string | undefined
}

/** One operation on a key, as the cloud's own trail records it. */
export interface CloudAActivity {
  /** the cloud's own id of the entry: equal for duplicates */
  readonly id: string
  /** ref of the key */
  readonly ref: string
  /** the operation, such as `Decrypt` */
  readonly activity: string
  /** RFC 3339, whole seconds */
  readonly at: string
  /** ARN of the principal, if the cloud knows it */
  readonly user: string
  /** whether this service made the call */
  readonly isOurs: boolean
  /** the cloud's error code, if the call was refused */
  readonly error: string | undefined
}

/** A tag of a key, within the cloud's limits. */
export interface Tag {
  readonly name: string
  readonly value: string
}

/** Verbs of cloud-a besides those of every cloud. */
export interface CloudAOwn {
  /** Ends encryption; decryption still works. Safe to repeat. */
  retire(place: CloudAPlace, ref: string): Promise<void>
  /** Both are safe to repeat. */
  enable(place: CloudAPlace, ref: string): Promise<void>
  disable(place: CloudAPlace, ref: string): Promise<void>
  /** @param days until the key is deleted. Safe to repeat: a key already scheduled keeps its date */
  scheduleDeletion(place: CloudAPlace, ref: string, days: number): Promise<void>
  cancelDeletion(place: CloudAPlace, ref: string): Promise<void>
  /** An existing tag gets the new value. */
  addTags(place: CloudAPlace, ref: string, tags: readonly Tag[]): Promise<void>
  removeTags(place: CloudAPlace, ref: string, names: readonly string[]): Promise<void>
  /** Safe to repeat. @throws Refusal CLOUD_CONFLICT when another key of the place has it */
  addAlias(place: CloudAPlace, ref: string, alias: string): Promise<void>
  /** Moves the alias from the key that has it, atomically; a free alias is added. Safe to repeat. */
  moveAlias(place: CloudAPlace, ref: string, alias: string): Promise<void>
  /** Safe to repeat. */
  deleteAlias(place: CloudAPlace, ref: string, alias: string): Promise<void>
  /** Ref of the key that has the alias. */
  holderOf(place: CloudAPlace, alias: string): Promise<string | undefined>
  /** Safe to repeat with the same material. @returns the cloud's id of the material, if it has one */
  importMaterial(place: CloudAPlace, ref: string, material: KeyMaterial, how: CloudAImport): Promise<string | undefined>
  deleteMaterial(place: CloudAPlace, ref: string, materialId: string | undefined): Promise<void>

  identity(entry: Pick<CloudAPlace, 'connection' | 'role' | 'budget'>): Promise<CloudAIdentity>
  /** Names of the regions that the account may use. */
  regions(entry: Pick<CloudAPlace, 'connection' | 'role' | 'budget'>): Promise<string[]>
  /** One page of IAM users or roles. */
  users(entry: Pick<CloudAPlace, 'connection' | 'role' | 'budget'>, query: IdentityQuery): Promise<IdentityPage>
  roles(entry: Pick<CloudAPlace, 'connection' | 'role' | 'budget'>, query: IdentityQuery): Promise<IdentityPage>
  logGroups(
    place: CloudAPlace,
    query: { limit?: number | undefined; prefix?: string | undefined; nextToken?: string | undefined },
  ): Promise<{ log_groups: string[]; nextToken?: string | undefined }>
  /**
   * One page of the activity on keys, oldest first, from the log group that the account's trail writes to; may be empty
   * although more follow.
   * @param query.to exclusive
   * @param query.cursor `next` of the previous page, valid for a day
   */
  activity(
    place: CloudAPlace,
    query: {
      readonly logGroup: string
      readonly from: Date
      readonly to: Date
      readonly limit: number
      readonly cursor: string | undefined
    },
  ): Promise<{ entries: CloudAActivity[]; next: string | undefined }>
  /**
   * As `read`, but refuses if parts may not be read: used when another key is to be created like this one.
   * @throws Refusal CLOUD_DENIED unless its policy, tags and aliases may all be read
   */
  readWhole(place: CloudAPlace, ref: string): Promise<CloudAKeyRead | undefined>
  setDescription(place: CloudAPlace, ref: string, description: string): Promise<void>
  /** @param policy JSON text */
  setPolicy(place: CloudAPlace, ref: string, policy: string, bypassLockoutSafetyCheck: boolean): Promise<void>
  /** As `retire`, for the principals of every account, not only the owner's. Safe to repeat. */
  retireForAllAccounts(place: CloudAPlace, ref: string): Promise<void>
  /** SubjectPublicKeyInfo as PEM. */
  publicKey(place: CloudAPlace, ref: string): Promise<string>
  /** The cloud's own automatic rotation, yearly or at another interval. */
  setOwnRotation(place: CloudAPlace, ref: string, days: number | 'off'): Promise<void>
  /** Starts a new generation inside the same key; it takes effect later. */
  rotateNow(place: CloudAPlace, ref: string): Promise<void>
  /** When the present rotation began (RFC 3339). */
  rotatingSince(place: CloudAPlace, ref: string): Promise<string | undefined>
  rotations(place: CloudAPlace, ref: string): Promise<CloudARotation[]>
  /** Creates a replica of a multi-region key in another region, with the same ref. Safe to repeat. */
  replicate(place: CloudAPlace, ref: string, region: string, spec: Omit<CloudAKeySpec, 'spec' | 'usage'>): Promise<void>
  setPrimaryRegion(place: CloudAPlace, ref: string, region: string): Promise<void>
  /** Every custom key store of the place. */
  keyStores(place: CloudAPlace): Promise<CloudAKeyStoreRead[]>
  /** One of them; `undefined` when the cloud does not have it. */
  keyStore(place: CloudAPlace, ref: string): Promise<CloudAKeyStoreRead | undefined>
  /**
   * Creates a store exactly once: when the outcome is unknown, the store is searched for. The cloud calls an external
   * one at a public address at once.
   */
  createKeyStore(place: CloudAPlace, spec: CloudAKeyStoreSpec, journal: Journal): Promise<CloudAKeyStoreRead>
  /** Safe to repeat. The cloud calls an external store at once when its address or credential changes. */
  updateKeyStore(place: CloudAPlace, ref: string, change: CloudAKeyStoreChange): Promise<void>
  /** Safe to repeat. */
  deleteKeyStore(place: CloudAPlace, ref: string): Promise<void>
  /** Starts to connect, which takes minutes. Safe to repeat. */
  connectKeyStore(place: CloudAPlace, ref: string): Promise<void>
  /** Starts to disconnect, which takes minutes. Safe to repeat. */
  disconnectKeyStore(place: CloudAPlace, ref: string): Promise<void>
  /** Active clusters that no store of the place uses. */
  unusedClusters(place: CloudAPlace): Promise<CloudACluster[]>
}

export type CloudA = Cloud<CloudAConnection, CloudAPlace, CloudAKeySpec, CloudAKeyRead> & CloudAOwn

export interface IdentityQuery {
  readonly pathPrefix?: string | undefined
  readonly maxItems?: number | undefined
  readonly marker?: string | undefined
}
export interface IdentityPage {
  readonly items: readonly { readonly name: string; readonly arn: string }[]
  readonly marker?: string | undefined
}
