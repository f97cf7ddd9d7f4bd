import * as fs from 'node:fs'
import * as path from 'node:path'
import { buildFunctions, type BuildOptions } from '../../build.ts'
import { fieldsOf } from '../../simulators/toolkit/json-body.ts'
import { DemoFailure } from './failure.ts'
import { FILES } from '../data/data-directory.ts'
import { startDeployment } from '../deployment.ts'
import type { DemoOptions } from './options.ts'

const SECOND_MS = 1_000
/** Longer than the limit of a real cloud, for busy laptops. */
const PROXY_TIMEOUT_MS = 5_000

/** The service that the demo works on. */
export interface Target {
  /** with `/api`, without a slash at its end */
  readonly baseUrl: string
  readonly administrator: string
  readonly password: string
  /** Content of `endpoints.json`. @throws DemoFailure when it is missing */
  readonly endpoints: () => Readonly<Record<string, unknown>>
  /** Moves the clock of service and clouds; absent on a service that the demo did not start. */
  readonly passSeconds?: (seconds: number) => void
  /** The records of the demo remain, for data that a later version reads. */
  readonly leavesRecords?: boolean
  readonly stop: () => Promise<void>
}

/** @param build of the service that is started when the options name none */
export const openTarget = (options: DemoOptions, build: BuildOptions): Promise<Target> =>
  options.of === 'own' ? startOwn(build) : Promise.resolve(running(options))

async function startOwn(build: BuildOptions): Promise<Target> {
  await buildFunctions(build)
  const { baseUrl, administrator, generatedPassword, endpoints, clock, stop } = await startDeployment({
    bundles: build.outDir,
    inMemory: true,
    schedules: true,
    tlsPort: 'any',
    proxyTimeoutMs: PROXY_TIMEOUT_MS,
  })
  return {
    baseUrl: `${baseUrl}/api`,
    administrator,
    password: generatedPassword ?? '',
    endpoints,
    passSeconds: (seconds) => clock.advance(seconds * SECOND_MS),
    stop,
  }
}

const running = ({ baseUrl, password, dataDir }: Extract<DemoOptions, { of: 'running' }>): Target => ({
  baseUrl,
  administrator: 'admin',
  password,
  endpoints: () => readEndpoints(path.resolve(dataDir, FILES.endpoints)),
  stop: () => Promise.resolve(),
})

function readEndpoints(file: string): Readonly<Record<string, unknown>> {
  if (!fs.existsSync(file))
    throw new DemoFailure(`There is no ${file} to tell where the simulated cloud is; name its folder with --data-dir.`)
  return fieldsOf(JSON.parse(fs.readFileSync(file, 'utf8')))
}
