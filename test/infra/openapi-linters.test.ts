import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { beforeAll, expect, test } from 'vitest'
import { openApiDocument } from '../../infra/openapi.ts'

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
  spectral.setRuleset({ extends: [[oas, 'recommended']], rules: {} } as never)
  const found = await spectral.run(source)
  return found
    .filter(({ severity }) => (severity as number) === ERROR)
    .map(({ code, path, message }) => `${code} ${path.join('/')} ${message}`)
}

test('it keeps to the recommended rules of Redocly', async () => {
  expect(await lintedByRedocly(text)).toEqual([])
})

test('it keeps to the recommended rules of Spectral', async () => {
  expect(await lintedBySpectral(text)).toEqual([])
})

test('both find a fault', async () => {
  const document = JSON.parse(text) as { paths: Record<string, { get: { parameters: object[] } }> }
  const { get } = document.paths['/v1/vault/keys2/{id}'] ?? {}
  get?.parameters.splice(0)
  const broken = JSON.stringify(document)
  expect(await lintedByRedocly(broken)).not.toEqual([])
  expect(await lintedBySpectral(broken)).not.toEqual([])
})
