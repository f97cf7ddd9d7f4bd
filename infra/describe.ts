/**
 * `npm run describe` writes the API description to `clients/openapi.json`, which is committed, and the types of the client
 * library, which are not: they follow from it. A change that breaks callers is refused, unless `--accept-breaking` says that it
 * is meant. With `--check` the description is compared only.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import openapiTS, { astToString } from 'openapi-typescript'
import { breakingChanges } from './openapi/compatibility/operations.ts'
import type { Json } from './openapi/schemas.ts'
import { openApiDocument } from './openapi.ts'

const fileOf = (name: string): string => fileURLToPath(new URL(`../clients/${name}`, import.meta.url))
const DESCRIPTION = fileOf('openapi.json')
const TYPES = fileOf('sdk/api.d.ts')
const textIn = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)

/** Writes a file unless it has the text already, so that programs that watch it are not woken. */
function write(file: string, text: string): void {
  if (textIn(file) !== text) writeFileSync(file, text)
}

/** Why the description may not take the place of the committed one. */
function refusalOf(
  former: string,
  present: string,
  { check, accepts }: Record<'check' | 'accepts', boolean>,
): string[] {
  const breaking = accepts ? [] : breakingChanges(JSON.parse(former) as Json, JSON.parse(present) as Json)
  if (breaking.length > 0)
    return [
      'The API description breaks what callers rely on:',
      ...breaking.map((sentence) => `  ${sentence}`),
      'If that is meant: npm run describe -- --accept-breaking',
    ]
  return check && former !== present
    ? ['clients/openapi.json is not the API description any more: npm run describe']
    : []
}

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, 'accept-breaking': { type: 'boolean', default: false } },
})
const present = `${JSON.stringify(await openApiDocument(), undefined, 1)}\n`
const former = textIn(DESCRIPTION)
const refusal =
  former === undefined ? [] : refusalOf(former, present, { check: values.check, accepts: values['accept-breaking'] })
if (refusal.length > 0) {
  console.error(refusal.join('\n'))
  process.exitCode = 1
} else {
  write(DESCRIPTION, present)
  // A field with a default is required where the description requires it: in answers, not in bodies.
  write(TYPES, astToString(await openapiTS(present, { defaultNonNullable: false })))
}
