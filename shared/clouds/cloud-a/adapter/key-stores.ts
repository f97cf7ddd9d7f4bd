import { timeRead } from '../../../cloud/adapter/dates.ts'
import {
  ConnectCustomKeyStoreCommand,
  CreateCustomKeyStoreCommand,
  DeleteCustomKeyStoreCommand,
  DescribeCustomKeyStoresCommand,
  DisconnectCustomKeyStoreCommand,
  UpdateCustomKeyStoreCommand,
} from '@aws-sdk/client-kms'
import type {
  CreateCustomKeyStoreCommandInput,
  CustomKeyStoresListEntry,
  UpdateCustomKeyStoreCommandInput,
  XksProxyAuthenticationCredentialType,
} from '@aws-sdk/client-kms'
import * as z from 'zod'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import { CustomKeyStore, EXTERNAL, HARDWARE } from '../key-stores/model.ts'
import type { Journal } from '../../../base/journal.ts'
import { MADE } from '../../../cloud/contract.ts'
import { object } from '../../../base/lazy-fields.ts'
import { onHardware, onKms } from './client.ts'
import { codeOf, mayHaveTakenEffect } from './errors.ts'
import { allPages, nextOf } from './paging.ts'
import type {
  CloudACluster,
  CloudAKeyStoreChange,
  CloudAKeyStoreRead,
  CloudAKeyStoreSpec,
  CloudAOwn,
  CloudAPlace,
  CloudAProxyAddress,
  CloudAProxyCredential,
} from './types.ts'
import { onceKnown } from './waiting.ts'

const STORES_A_PAGE = 50
const CLUSTERS_A_PAGE = 100
const HARDWARE_THERE = 'AWS_CLOUDHSM'
/** Fields that every store created in the cloud has; a list may contain incomplete ones. */
const Param = CustomKeyStore.shape.cloud_a_param

/** @throws ZodError, a fault, for a reply without the fields of every store */
function readOf(entry: CustomKeyStoresListEntry): CloudAKeyStoreRead {
  const { XksProxyConfiguration: proxy } = entry
  const param = Param.parse(
    defined({
      custom_key_store_name: entry.CustomKeyStoreName,
      custom_key_store_type: entry.CustomKeyStoreType === EXTERNAL ? EXTERNAL : HARDWARE, // absent for the older kind
      custom_key_store_id: entry.CustomKeyStoreId,
      connection_state: entry.ConnectionState,
      connection_error_details: entry.ConnectionErrorCode,
      xks_proxy_uri_endpoint: proxy?.UriEndpoint,
      xks_proxy_uri_path: proxy?.UriPath,
      xks_proxy_connectivity: proxy?.Connectivity,
      xks_proxy_vpc_endpoint_service_name: proxy?.VpcEndpointServiceName,
      cloud_hsm_cluster_id: entry.CloudHsmClusterId,
      trust_anchor_certificate: entry.TrustAnchorCertificate,
      creation_date: timeRead(entry.CreationDate),
    }),
  )
  return {
    ref: entry.CustomKeyStoreId ?? '',
    param,
    ...(proxy?.AccessKeyId !== undefined && { accessKeyId: proxy.AccessKeyId }),
  }
}

export const keyStores: CloudAOwn['keyStores'] = async (place) => {
  const entries = await allPages(async (Marker) => {
    const command = new DescribeCustomKeyStoresCommand({ Limit: STORES_A_PAGE, Marker })
    const reply = await onKms(place, (kms, options) => kms.send(command, options))
    return { items: reply.CustomKeyStores, next: nextOf(reply) }
  })
  return entries.map(readOf)
}

/** @throws Refusal CLOUD_NOT_FOUND */
async function described(place: CloudAPlace, ref: string): Promise<CloudAKeyStoreRead> {
  const command = new DescribeCustomKeyStoresCommand({ CustomKeyStoreId: ref })
  const { CustomKeyStores: [entry] = [] } = await onKms(place, (kms, options) => kms.send(command, options))
  if (entry === undefined) throw new Refusal('CLOUD_NOT_FOUND', 'Cloud-a does not know the custom key store.')
  return readOf(entry)
}

export const keyStore: CloudAOwn['keyStore'] = (place, ref) => ifThere(described(place, ref))

const credentialFields = ({
  accessKeyId,
  secretAccessKey,
}: CloudAProxyCredential): XksProxyAuthenticationCredentialType => ({
  AccessKeyId: accessKeyId,
  RawSecretAccessKey: secretAccessKey.use((bytes) => bytes.toString('utf8')),
})

const addressFields = ({ endpoint, path, connectivity, vpcServiceName }: CloudAProxyAddress) => ({
  XksProxyConnectivity: connectivity,
  XksProxyUriEndpoint: endpoint,
  XksProxyUriPath: path,
  ...defined({ XksProxyVpcEndpointServiceName: vpcServiceName }),
})

/** The type is always explicit: the cloud's default is the hardware kind. */
const requestFor = (spec: CloudAKeyStoreSpec): CreateCustomKeyStoreCommandInput =>
  spec.type === EXTERNAL
    ? {
        CustomKeyStoreName: spec.name,
        CustomKeyStoreType: EXTERNAL,
        ...addressFields(spec.address),
        XksProxyAuthenticationCredential: credentialFields(spec.credential),
      }
    : {
        CustomKeyStoreName: spec.name,
        CustomKeyStoreType: HARDWARE_THERE,
        CloudHsmClusterId: spec.clusterId,
        TrustAnchorCertificate: spec.trustAnchor,
        KeyStorePassword: spec.password,
      }

/** Whether this is the requested store: its path, or its cluster, is unique. */
const isAskedFor =
  (spec: CloudAKeyStoreSpec) =>
  ({ param }: CloudAKeyStoreRead): boolean =>
    spec.type === EXTERNAL
      ? param.xks_proxy_uri_path === spec.address.path
      : param.cloud_hsm_cluster_id === spec.clusterId && param.custom_key_store_name === spec.name

/** A store that an earlier try created but could not record. */
async function findMade(place: CloudAPlace, spec: CloudAKeyStoreSpec, journal: Journal): Promise<string | undefined> {
  const fitting = (await keyStores(place)).filter(isAskedFor(spec)).map(({ ref }) => ref)
  return (await journal.unrecorded(fitting))[0]
}

/** @throws Refusal STATE_CONFLICT when the required password was lost with the request that contained it */
function assertComplete(spec: CloudAKeyStoreSpec): void {
  if (spec.type === HARDWARE && spec.password === undefined)
    throw new Refusal('STATE_CONFLICT', 'The password of the cluster is not kept: ask for the key store again.')
}

/** As with keys: repeats the creation once, and only if the first try has certainly ended. */
async function makeOnce(place: CloudAPlace, spec: CloudAKeyStoreSpec, journal: Journal): Promise<string> {
  assertComplete(spec)
  const make = async () => {
    const command = new CreateCustomKeyStoreCommand(requestFor(spec))
    const { CustomKeyStoreId: made } = await onKms(place, (kms, options) => kms.send(command, options))
    if (made === undefined) throw new Refusal('CLOUD_UNAVAILABLE', 'Cloud-a answered without the new key store.')
    return made
  }
  try {
    return await make()
  } catch (error) {
    if (!mayHaveTakenEffect(error)) throw error
    const found = await findMade(place, spec, journal).catch(() => {
      throw error // the outcome is still unknown
    })
    if (found !== undefined) return found
    if (error instanceof Refusal && error.reason === 'CLOUD_TIMEOUT') throw error
    return make()
  }
}

export const createKeyStore: CloudAOwn['createKeyStore'] = async (place, spec, journal) => {
  const ref = await journal.step(
    MADE,
    () => makeOnce(place, spec, journal),
    () => findMade(place, spec, journal),
  )
  return onceKnown(place.budget, () => described(place, ref))
}

const changeFields = (change: CloudAKeyStoreChange): Omit<UpdateCustomKeyStoreCommandInput, 'CustomKeyStoreId'> => ({
  ...defined({ NewCustomKeyStoreName: change.name }),
  ...(change.address && addressFields(change.address)),
  ...(change.credential && { XksProxyAuthenticationCredential: credentialFields(change.credential) }),
  ...defined({ CloudHsmClusterId: change.clusterId, KeyStorePassword: change.password }),
})

export const updateKeyStore: CloudAOwn['updateKeyStore'] = async (place, ref, change) => {
  const command = new UpdateCustomKeyStoreCommand({ CustomKeyStoreId: ref, ...changeFields(change) })
  await onKms(place, (kms, options) => kms.send(command, options))
}

export const deleteKeyStore: CloudAOwn['deleteKeyStore'] = async (place, ref) => {
  const command = new DeleteCustomKeyStoreCommand({ CustomKeyStoreId: ref })
  await ifThere(onKms(place, (kms, options) => kms.send(command, options)))
}

/** A change of state that the cloud refuses because it has happened already, or is happening, counts as done. */
async function moveUnlessDone(
  place: CloudAPlace,
  ref: string,
  done: readonly (string | undefined)[],
  move: () => Promise<unknown>,
): Promise<void> {
  try {
    await move()
  } catch (error) {
    if (codeOf(error) !== 'CustomKeyStoreInvalidStateException') throw error
    const { param } = await described(place, ref)
    if (!done.includes(param.connection_state)) throw error
  }
}

export const connectKeyStore: CloudAOwn['connectKeyStore'] = (place, ref) =>
  moveUnlessDone(place, ref, ['CONNECTING', 'CONNECTED'], () =>
    onKms(place, (kms, options) => kms.send(new ConnectCustomKeyStoreCommand({ CustomKeyStoreId: ref }), options)),
  )

export const disconnectKeyStore: CloudAOwn['disconnectKeyStore'] = (place, ref) =>
  moveUnlessDone(place, ref, ['DISCONNECTING', 'DISCONNECTED'], () =>
    onKms(place, (kms, options) => kms.send(new DisconnectCustomKeyStoreCommand({ CustomKeyStoreId: ref }), options)),
  )

const Clusters = object(() => ({
  Clusters: z
    .array(
      z.object({
        ClusterId: z.string(),
        State: z.string(),
        VpcId: z.string().default(''),
        Hsms: z.array(z.unknown()).default([]),
      }),
    )
    .default([]),
  NextToken: z.string().nullish(),
}))

async function activeClusters(place: CloudAPlace): Promise<CloudACluster[]> {
  const all = await allPages(async (NextToken) => {
    const input = { Filters: { states: ['ACTIVE'] }, MaxResults: CLUSTERS_A_PAGE, ...(NextToken && { NextToken }) }
    const reply = Clusters.parse(await onHardware(place, 'DescribeClusters', input))
    return { items: reply.Clusters, next: reply.NextToken ?? undefined }
  })
  return all.map(({ ClusterId, State, VpcId, Hsms }) => ({
    cluster_id: ClusterId,
    state: State,
    number_of_hsms: Hsms.length,
    vpc_id: VpcId,
  }))
}

export const unusedClusters: CloudAOwn['unusedClusters'] = async (place) => {
  const [clusters, stores] = await Promise.all([activeClusters(place), keyStores(place)])
  const used = new Set(stores.map(({ param }) => param.cloud_hsm_cluster_id))
  return clusters.filter(({ state, cluster_id }) => state === 'ACTIVE' && !used.has(cluster_id))
}
