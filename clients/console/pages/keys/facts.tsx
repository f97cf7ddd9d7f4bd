import type { ComponentChildren } from 'preact'
import type { KeySummary } from '../../clouds/row.ts'
import type { Use } from '../../clouds/uses.ts'
import { counted } from '../../words/numbers.ts'
import { Reference } from '../../words/reference.tsx'
import { absoluteOf, When } from '../../words/when.tsx'
import type { GraphNode } from './graph.tsx'

/** Members that keys of several places have. */
export interface CommonMembers {
  readonly local_key_id?: string
  readonly local_key_name?: string
  readonly key_material_origin?: string
  readonly rotationFrequencyDays?: number
  readonly rotated_to?: string
  readonly labels?: { readonly job_config_id?: string }
}

const ORIGINS: Readonly<Record<string, string>> = {
  keymgr: 'Made here, uploaded',
  native: 'Made by the cloud',
  unknown: 'Unknown',
}

/** Where the material is from, in words. */
const originOf = ({ key_material_origin: origin }: CommonMembers): string =>
  origin === undefined ? 'Made or imported here' : (ORIGINS[origin] ?? origin)

/** The origin of the material, for the graph: absent where the key itself is the origin. */
export function originNodes(key: CommonMembers, place: string): readonly GraphNode[] {
  if (key.local_key_name !== undefined) return [{ title: key.local_key_name, detail: 'Local key' }]
  return key.key_material_origin === 'native' ? [{ title: place, detail: 'Made by the cloud' }] : []
}

interface FactsProps {
  readonly members: CommonMembers
  readonly summary: KeySummary
  /** `undefined` while they are read */
  readonly uses: readonly Use[] | undefined
  readonly isFailed: boolean
}

/** The first questions about a key: its material, its uses, its rotation and its end. */
export function Facts({ members, summary, uses, isFailed }: FactsProps) {
  const { local_key_id: local, rotationFrequencyDays: days, labels } = members
  const job = typeof labels?.job_config_id === 'string' ? labels.job_config_id : undefined
  return (
    <dl class="fact-cards" aria-label="Facts">
      <Fact title="Material" value={originOf(members)}>
        {local !== undefined && (
          <>
            from <Reference member="local_key_id" id={local} name={members.local_key_name} />
          </>
        )}
      </Fact>
      <Fact title="Used by" value={usedBy(uses, isFailed)}>
        Uses at the cloud are in reports.
      </Fact>
      <Fact title="Rotation" value={rotationOf(days, job, summary)}>
        {job !== undefined && (
          <>
            by <Reference member="job_config_id" id={job} />
          </>
        )}
      </Fact>
      <Fact title="End" value={summary.expiresAt === undefined ? 'Never' : <When time={summary.expiresAt} />}>
        {summary.expiresAt === undefined ? 'No end is set.' : absoluteOf(summary.expiresAt)}
      </Fact>
    </dl>
  )
}

function usedBy(uses: FactsProps['uses'], isFailed: boolean): string {
  if (isFailed) return 'Not all could be read'
  if (uses === undefined) return '…'
  return uses.length === 0 ? 'No known use' : uses.map(({ kind, count }) => counted(count, kind)).join(', ')
}

function rotationOf(days: number | undefined, job: string | undefined, { isRotated }: KeySummary): string {
  if (days !== undefined) return `Every ${counted(days, 'day')}`
  if (job !== undefined) return 'By a job'
  return isRotated === true ? 'By hand' : 'None planned'
}

interface FactProps {
  readonly title: string
  readonly value: ComponentChildren
  readonly children: ComponentChildren
}

const Fact = ({ title, value, children }: FactProps) => (
  <div>
    <dt>{title}</dt>
    <dd>
      <b>{value}</b>
      <p class="quiet">{children}</p>
    </dd>
  </div>
)
