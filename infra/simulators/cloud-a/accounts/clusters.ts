import { createHash } from 'node:crypto'
import type { SimulatedAccount } from './accounts.ts'
import { worksIn, partitionOf } from './regions.ts'

/** A hardware cluster. Nothing here is secret: it is derived from account and region. */
export interface SimulatedCluster {
  readonly id: string
  readonly state: 'ACTIVE' | 'UNINITIALIZED'
  /** Active hardware modules. */
  readonly hsms: number
  readonly vpcId: string
  /** PEM text that a key store must name. Clusters with the same text are related. */
  readonly trustAnchor: string
  /** Password of `kmsuser`, the user of key stores. */
  readonly kmsuserPassword: string
}

/** A change of a cluster. Absent members are unchanged. */
export type ClusterChange = Partial<Omit<SimulatedCluster, 'id' | 'vpcId'>>

/** The clusters of all accounts and regions. Ours: changes are not stored, a restart restores the seeded clusters. */
export interface Clusters {
  readonly in: (account: string, region: string) => readonly SimulatedCluster[]
  /** @throws Error if the cluster does not exist */
  readonly alter: (account: string, region: string, id: string, change: ClusterChange) => void
}

const HSMS_OF_ACTIVE = 2

/** Two in each region of each account of the first partition: an active one and an uninitialized one. */
export function createClusters(accounts: ReadonlyMap<string, SimulatedAccount>): Clusters {
  const changes = new Map<string, ClusterChange>()
  const clustersIn: Clusters['in'] = (account, region) => {
    const cloudName = accounts.get(account)?.cloud_name
    if (cloudName !== 'cloud-a' || !worksIn(partitionOf(cloudName), region)) return []
    const seeded = [seededCluster(account, region, 'ACTIVE'), seededCluster(account, region, 'UNINITIALIZED')]
    return seeded.map((cluster) => ({ ...cluster, ...changes.get(cluster.id) }))
  }
  return {
    in: clustersIn,
    alter: (account, region, id, change) => {
      if (!clustersIn(account, region).some((each) => each.id === id)) {
        throw new Error(`There is no cluster ${id} in ${account} ${region}.`)
      }
      changes.set(id, { ...changes.get(id), ...change })
    },
  }
}

function seededCluster(account: string, region: string, state: SimulatedCluster['state']): SimulatedCluster {
  const seed = createHash('sha512').update(`cluster ${account} ${region} ${state}`).digest()
  return {
    id: `cluster-${base32(seed).slice(0, 11)}`,
    state,
    hsms: state === 'ACTIVE' ? HSMS_OF_ACTIVE : 0,
    vpcId: `vpc-${seed.toString('hex').slice(0, 17)}`,
    trustAnchor: `-----BEGIN CERTIFICATE-----\n${seed.toString('base64')}\n-----END CERTIFICATE-----`,
    kmsuserPassword: `kmsuser-${seed.toString('hex').slice(-12)}`,
  }
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const base32 = (bytes: Buffer): string => [...bytes].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('')
