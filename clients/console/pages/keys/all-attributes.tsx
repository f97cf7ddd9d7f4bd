import { labelOf, membersOf, shownOf } from '../../resources/shown.ts'
import type { Resource } from '../../resources/row.ts'
import { Attributes, type AttributeRow } from '../../words/attributes.tsx'
import { isReference, Reference } from '../../words/reference.tsx'
import type { ShownKey } from './shown-key.ts'

const isGroup = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0

const rowsOf = (members: ReturnType<typeof membersOf>): readonly AttributeRow[] =>
  members.map(([member, value]) => [
    labelOf(member),
    isReference(member, value) ? <Reference key={member} member={member} id={value} /> : shownOf(value),
  ])

/** Every member of a key's record, those of the cloud by themselves. */
export function AllAttributes({ of }: ShownKey) {
  const members = membersOf(of as Resource) // every record of the description is an object
  return (
    <div class="columns even">
      <Attributes title="All attributes" rows={rowsOf(members.filter(([, value]) => !isGroup(value)))} />
      <div>
        {members.map(([member, value]) =>
          isGroup(value) ? <Attributes key={member} title={labelOf(member)} rows={rowsOf(membersOf(value))} /> : null,
        )}
      </div>
    </div>
  )
}
