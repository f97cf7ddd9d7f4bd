import * as fs from 'node:fs'
import * as path from 'node:path'
import * as z from 'zod'
import { CLOUD_A_NAMES } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { buildFunctions } from '../../build.ts'
import type { BuildOptions } from '../../build.ts'
import type { CloudCSimulator } from '../../simulators/cloud-c/simulator.ts'
import { FILES } from '../data-directory.ts'
import { startDeployment } from '../deployment.ts'
import { PROXY_HOST, shownProjects } from '../endpoints-file.ts'
import { DemoFailure } from '../../simulators/toolkit/demo/failure.ts'
import type { DemoOptions } from './options.ts'

const CloudAccount = z.object({
  id: z.string(),
  cloud_name: z.enum(CLOUD_A_NAMES),
  access_key_id: z.string(),
  secret_access_key: z.string(),
})
const SimulatedCloud = z.object({ endpoint: z.string(), accounts: z.array(CloudAccount).min(1) })
const Endpoints = z.object({ cloud_a: SimulatedCloud.optional() })
type SimulatedCloud = z.infer<typeof SimulatedCloud>

const SECOND_MS = 1_000
const DAY_MS = 86_400 * SECOND_MS
/** A laptop that is busy with other things answers later than the 250 ms a real cloud would wait. */
const PATIENCE_MS = 5_000

/** A key ring of the simulated cloud-c, and who may work there. */
export interface RingToShow {
  /** of a service account, as it is put in a connection: JSON */
  readonly key_file: string
  readonly project: string
  readonly key_ring: string
}

function ringToShow(cloud: CloudCSimulator): RingToShow | undefined {
  const [project] = shownProjects(cloud)
  const [key_ring] = project?.key_rings ?? []
  if (project === undefined || key_ring === undefined) return undefined
  return { key_file: JSON.stringify(cloud.keyFiles[0]), project: project.id, key_ring }
}

/** What it takes to show hosted keys. */
export interface Hosting {
  /** of key stores: `https://` and a host name */
  readonly endpoint: string
  readonly passSeconds: (seconds: number) => void
}

/** What the demo is shown on. */
export interface Target {
  /** with `/api`, without a slash at its end */
  readonly baseUrl: string
  readonly administrator: string
  readonly password: string
  /** Where its simulated cloud is, with accounts to use. @throws DemoFailure when there is none */
  readonly cloud: () => SimulatedCloud
  /** In the simulated cloud-c. Ours: only where nobody else can have the ring, which is managed once. */
  readonly secondCloud?: RingToShow
  /** Moves the time of service and cloud; absent where it is not ours to move. */
  readonly passDays?: (days: number) => void
  /** How the cloud finds the service for keys whose material stays there; absent where it does not, or time is not ours. */
  readonly hosting?: Hosting
  readonly stop: () => Promise<void>
}

/** @param build of the service that is started when none is named */
export const openTarget = (options: DemoOptions, build: BuildOptions): Promise<Target> =>
  options.of === 'own' ? startOwn(build) : Promise.resolve(running(options))

async function startOwn(build: BuildOptions): Promise<Target> {
  await buildFunctions(build)
  const deployment = await startDeployment({
    bundles: build.outDir,
    inMemory: true,
    schedules: true,
    tlsPort: 'any',
    proxyTimeoutMs: PATIENCE_MS,
  })
  const { baseUrl, administrator, generatedPassword = '', cloudA, cloudC, clock, stop } = deployment
  const ring = ringToShow(cloudC)
  return {
    baseUrl: `${baseUrl}/api`,
    administrator,
    password: generatedPassword,
    cloud: () => ({
      endpoint: cloudA.endpoint,
      accounts: cloudA.accounts.map(({ id, cloud_name, credentials }) => ({
        id,
        cloud_name,
        access_key_id: credentials.accessKeyId,
        secret_access_key: credentials.secretAccessKey,
      })),
    }),
    ...(ring && { secondCloud: ring }),
    passDays: (days) => clock.advance(days * DAY_MS),
    hosting: {
      endpoint: `https://${PROXY_HOST}`,
      passSeconds: (seconds) => clock.advance(seconds * SECOND_MS),
    },
    stop,
  }
}

const running = ({ baseUrl, password, dataDir }: Extract<DemoOptions, { of: 'running' }>): Target => ({
  baseUrl,
  administrator: 'admin',
  password,
  cloud: () => cloudNotedIn(path.resolve(dataDir, FILES.endpoints)),
  stop: () => Promise.resolve(),
})

function cloudNotedIn(file: string): SimulatedCloud {
  if (!fs.existsSync(file))
    throw new DemoFailure(`There is no ${file} to tell where the simulated cloud is; name its folder with --data-dir.`)
  const { cloud_a } = Endpoints.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  if (cloud_a === undefined)
    throw new DemoFailure('The service uses another cloud-a than the simulated one, where the demo makes no keys.')
  return cloud_a
}
