import type { OptionRow } from '../command.ts'
import type { Description } from './description.ts'

/** The end of the explanation of a field that is declared and refused. */
const NOT_OFFERED = 'not offered yet'

/**
 * Values that name clouds without an implementation: they are in a list of all clouds, but neither jobs nor connections
 * have them.
 */
function unbuiltIn({ paths, 'x-keymgr-work': work }: Description, { enum: choices = [] }: OptionRow): string[] {
  const clouds = Object.keys(work).filter((cloud) => isService(paths, cloud))
  if (!clouds.every((cloud) => choices.includes(cloud))) return []
  return choices.map(String).filter((choice) => work[choice] === undefined && !isService(paths, choice))
}

const isService = (paths: Description['paths'], name: string): boolean =>
  paths[`/v1/connectionmgmt/services/${name}/connections`] !== undefined

/** Options without those that the service refuses as not offered, and without clouds that it lacks. */
export function offered(description: Description, rows: readonly OptionRow[]): OptionRow[] {
  const unbuilt = new Set(rows.flatMap((row) => unbuiltIn(description, row)))
  const isUnbuilt = (path: readonly string[]): boolean => [...unbuilt].some((name) => path.includes(`${name}_param`))
  return rows
    .filter(({ about, path }) => about?.endsWith(NOT_OFFERED) !== true && !isUnbuilt(path))
    .map((row) =>
      row.enum === undefined
        ? row
        : { ...row, enum: row.enum.filter((choice) => !unbuiltIn(description, row).includes(String(choice))) },
    )
}
