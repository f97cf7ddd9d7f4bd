import type { Protocol } from '../endpoint/protocol.ts'
import { datacust } from './datacust/protocol.ts'
import { dke } from './dke/protocol.ts'
import { ekm } from './ekm/protocol.ts'
import { kacls } from './kacls/protocol.ts'
import { externalVaults } from '../clouds/cloud-d/external/proxy/protocol.ts'
import { crmKeys } from '../clouds/crm/key-endpoints/protocol.ts'
import { xks } from '../clouds/cloud-a/key-stores/proxy/protocol.ts'

/** Every protocol of the data planes, one row each. */
export const PROTOCOLS: readonly Protocol[] = [xks, ekm, dke, kacls, datacust, externalVaults, crmKeys]
