import { CLOUD_A_CONTAINERS } from './containers/cloud-a.ts'
import { CLOUD_B_CONTAINERS } from './containers/cloud-b.ts'
import { CLOUD_C_CONTAINERS } from './containers/cloud-c.ts'
import type { ContainersRow } from './containers/row.ts'

/** The containers of every cloud, in the order in which they are shown. Loaded with the pages of containers alone. */
export const CONTAINERS: readonly ContainersRow[] = [CLOUD_A_CONTAINERS, CLOUD_B_CONTAINERS, CLOUD_C_CONTAINERS]

/** The first one where an address names none. */
export const containersOf = (cloud: string | undefined): ContainersRow | undefined =>
  cloud === undefined ? CONTAINERS[0] : CONTAINERS.find((each) => each.cloud === cloud)
