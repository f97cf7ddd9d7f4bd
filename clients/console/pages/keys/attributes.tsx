import { Attributes, type AttributeRow } from '../../words/attributes.tsx'
import { Reference } from '../../words/reference.tsx'
import type { CommonMembers } from './facts.tsx'
import type { ShownKey } from './shown-key.ts'

/** Attributes in the summary of a key. */
const MOST = 8

/** Records that a key refers to, by name and with links to their pages. */
function referencesOf({ local_key_id: local, local_key_name: name, labels }: CommonMembers): readonly AttributeRow[] {
  const job = labels?.job_config_id
  return [
    ...(local === undefined
      ? []
      : [['Local key', <Reference key="local" member="local_key_id" id={local} name={name} />] as const]),
    ...(typeof job === 'string'
      ? [['Job configuration', <Reference key="job" member="job_config_id" id={job} />] as const]
      : []),
  ]
}

const isEmpty = ([, value]: AttributeRow): boolean => value === undefined || value === ''

/** The first attributes of a key; all of them are on a tab. */
export function KeyAttributes({ cloud, of, summary, at }: ShownKey) {
  const last: readonly AttributeRow[] = [
    ...referencesOf(of as CommonMembers), // absent in the keys of other places
    ['Created', summary.createdAt],
    ['Expires', summary.expiresAt],
    ['Id', summary.id],
  ]
  const shown = last.filter((row) => !isEmpty(row))
  const isLast = new Set(shown.map(([label]) => label))
  const own = cloud.keys.attributes(of).filter((row) => !isEmpty(row) && !isLast.has(row[0]))
  const first = own.slice(0, Math.max(0, MOST - shown.length))
  return (
    <div>
      <Attributes rows={[...first, ...shown]} />
      <p>
        <a href={`${at}/attributes`}>All attributes</a>
      </p>
    </div>
  )
}
