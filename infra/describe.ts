/**
 * `npm run describe` writes the API description to `clients/openapi.json` and the clients' tables, which are committed,
 * and the types of the client library, which are derived and not committed. A change that breaks callers is refused,
 * unless you pass `--accept-breaking`. With `--check` committed files are only compared.
 */
import { existsSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import { parseArgs } from 'node:util'
import { fieldsOf } from '../shared/base/json.ts'
import { DESCRIPTION, writeApiTypes } from './api-types.ts'
import { writeChangedFile } from './bundle-cache.ts'
import { clientTables, staleTables } from './client-tables.ts'
import { breakingChanges } from './openapi/compatibility/operations.ts'
import { openApiDocument } from './openapi.ts'

/** Why the description must not replace the committed one. */
function refusalOf(
  former: string,
  present: string,
  { check, accepts }: Record<'check' | 'accepts', boolean>,
): string[] {
  const breaking = accepts ? [] : breakingChanges(fieldsOf(JSON.parse(former)), fieldsOf(JSON.parse(present)))
  if (breaking.length > 0)
    return [
      'The API description breaks what callers rely on:',
      ...breaking.map((sentence) => `  ${sentence}`),
      'If that is meant: npm run describe -- --accept-breaking',
    ]
  const stale = check ? [...(former === present ? [] : [DESCRIPTION]), ...staleTables(present)] : []
  return stale.map((file) => `${path.relative('.', file)} is not of the API description any more: npm run describe`)
}

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, 'accept-breaking': { type: 'boolean', default: false } },
})
const present = `${JSON.stringify(await openApiDocument(), undefined, 1)}\n`
const former = existsSync(DESCRIPTION) ? readFileSync(DESCRIPTION, 'utf8') : undefined
const refusal =
  former === undefined ? [] : refusalOf(former, present, { check: values.check, accepts: values['accept-breaking'] })
if (refusal.length > 0) {
  console.error(refusal.join('\n'))
  process.exitCode = 1
} else {
  writeChangedFile(DESCRIPTION, Buffer.from(present))
  for (const [file, table] of Object.entries(clientTables(present))) writeChangedFile(file, Buffer.from(table))
  await writeApiTypes(present)
}
