import { isTime } from '../words/attributes.tsx'
import { isReference, Reference } from '../words/reference.tsx'
import { When } from '../words/when.tsx'
import { shownOf } from './shown.ts'

/** The value of a member in a table: a link to another record, a time, or a text. */
export function Shown({ member, value }: { readonly member: string; readonly value: unknown }) {
  if (isReference(member, value)) return <Reference member={member} id={value} />
  return isTime(value) ? <When time={value} /> : <span title={shownOf(value)}>{shownOf(value)}</span>
}
