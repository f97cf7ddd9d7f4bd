import { SIMULATORS } from '../../simulators/all.ts'
import { titleOf } from '../../simulators/toolkit/simulator.ts'
import type { Deployment } from '../deployment.ts'
import { API_DESCRIPTION } from '../data/endpoints-file.ts'
import type { StartOptions } from './options.ts'

/**
 * Shows which function is being bundled: on a terminal in one line that is overwritten, elsewhere in a separate line.
 */
export function showBundling(name: string, position: number, total: number): void {
  const line = `Bundling function ${position} of ${total}: ${name}`
  process.stdout.write(process.stdout.isTTY ? `\r\u001b[K${line}` : `${line}\n`)
}

/** Ends the line about bundling, so that other output can follow on a terminal. */
export function endBundling(): void {
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[K')
}

interface Shown extends Pick<StartOptions, 'inMemory'> {
  /** whether it runs outside of the checkout */
  readonly isPackage: boolean
  /** clouds for which the user has set an address, and which are not simulated */
  readonly namedClouds: readonly string[]
}

/** The output after a successful start: all addresses, and the next steps. */
export function ready(deployment: Deployment, { inMemory, isPackage, namedClouds }: Shown): string {
  const { baseUrl, tlsBaseUrl, generatedPassword, dataDir = '' } = deployment
  const lines = [
    ['Base address', `${baseUrl}/api`],
    ...(tlsBaseUrl === undefined ? [] : [['with TLS', `${tlsBaseUrl}/api`]]),
    ['API description', `${baseUrl}${API_DESCRIPTION}`],
    ...SIMULATORS.filter(({ cloud }) => !namedClouds.includes(cloud)).map((row) => [
      `${titleOf(row)} (simulated)`,
      deployment.cloudEndpoints[row.cloud],
    ]),
    ['Identity provider', `${deployment.people.issuer} (simulated)`],
    ['Directory', `${deployment.people.directoryUrl} (simulated)`],
    ['Administrator', deployment.administrator],
    ...(generatedPassword === undefined ? [] : [['Password', `${generatedPassword}   (made now, not shown again)`]]),
    ['Data directory', inMemory ? 'none, everything is in memory' : dataDir],
  ]
  const table = lines.map(([name, value]) => `  ${String(name).padEnd(21)} ${String(value)}\n`).join('')
  return `keymgr is ready.\n${table}\n${next(deployment, { inMemory, isPackage })}`
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Each line is one step; the last lines can be pasted into a shell. */
function next(
  { baseUrl, generatedPassword, dataDir = '' }: Deployment,
  { inMemory, isPackage }: Pick<Shown, 'inMemory' | 'isPackage'>,
): string {
  const program = isPackage ? 'keymgr' : 'npm run build, then npx keymgr'
  const steps = `Next:
  Console               ${baseUrl}/console/
  API guide             ${baseUrl}/api/guide/
  Command line          ${program} login --url ${baseUrl}/api --name admin
`
  if (inMemory || isPackage) return steps
  const settings = [
    `export KEYMGR_DATA_DIR=${quoted(dataDir)}`,
    `KEYMGR_ADMIN_PASSWORD=${generatedPassword === undefined ? "'<password>'" : quoted(generatedPassword)}`,
  ]
  return `${steps}  A first key, in another terminal:
    ${settings.join(' ')}
    . docs/session.sh && post vault/keys2 '{"name":"first","algorithm":"aes"}'
`
}
