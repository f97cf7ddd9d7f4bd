import { createRequire } from 'node:module'
import { beforeAll, expect, test } from 'vitest'
import { openApiDocument } from '../../infra/openapi.ts'

/** The parts of two linters that are used here. `npm run test:long` installs them, so their types may be absent. */
interface Redocly {
  readonly createConfig: (options: object) => Promise<object>
  readonly lintFromString: (options: object) => Promise<readonly RedoclyFinding[]>
}
interface RedoclyFinding {
  readonly severity: string
  readonly ruleId: string
  readonly message: string
  readonly location: readonly { readonly pointer?: string }[]
}
interface Spectral {
  setRuleset(ruleset: object): void
  run(source: string): Promise<readonly SpectralFinding[]>
}
interface SpectralFinding {
  readonly severity: number
  readonly code: string | number
  readonly path: readonly (string | number)[]
  readonly message: string
}

const tools = createRequire(new URL('../../infra/tools/package.json', import.meta.url))
const { createConfig, lintFromString } = tools('@redocly/openapi-core') as Redocly
const { Spectral } = tools('@stoplight/spectral-core') as { readonly Spectral: new () => Spectral }
const { oas } = tools('@stoplight/spectral-rulesets') as { readonly oas: object }

/** Severity of an error in Spectral. */
const ERROR = 0

let text: string

beforeAll(async () => {
  text = JSON.stringify(await openApiDocument())
})

const lintedByRedocly = async (source: string): Promise<string[]> => {
  const config = await createConfig({ extends: ['recommended'], telemetry: 'off' })
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return found
    .filter(({ severity }) => severity === 'error')
    .map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''} ${message}`)
}

const lintedBySpectral = async (source: string): Promise<string[]> => {
  const spectral = new Spectral()
  spectral.setRuleset({ extends: [[oas, 'recommended']], rules: {} })
  const found = await spectral.run(source)
  return found
    .filter(({ severity }) => severity === ERROR)
    .map(({ code, path, message }) => `${code} ${path.join('/')} ${message}`)
}

test('it obeys the recommended rules of Redocly', async () => {
  expect(await lintedByRedocly(text)).toEqual([])
})

test('it obeys the recommended rules of Spectral', async () => {
  expect(await lintedBySpectral(text)).toEqual([])
})

test('both linters find a planted fault', async () => {
  const document = JSON.parse(text) as { paths: Record<string, { get: { parameters: object[] } }> }
  const { get } = document.paths['/v1/vault/keys2/{id}'] ?? {}
  get?.parameters.splice(0)
  const broken = JSON.stringify(document)
  expect(await lintedByRedocly(broken)).not.toEqual([])
  expect(await lintedBySpectral(broken)).not.toEqual([])
})
