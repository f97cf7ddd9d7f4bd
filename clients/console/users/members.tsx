import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Call } from '../calls.ts'
import { CallDialog } from '../forms/call-dialog.tsx'
import type { Choice } from '../forms/fields.ts'
import { tell } from '../shell/toasts.tsx'
import { Empty } from '../words/states.tsx'

interface Member {
  readonly id: string
  readonly title: string
  readonly href: string
}

interface MembersProps {
  readonly title: string
  /** name of a member, in the singular */
  readonly noun: string
  /** label of the field that adds one, different on each page */
  readonly label: string
  readonly members: readonly Member[]
  /** all candidates that are not members yet */
  readonly choices: () => Promise<readonly Choice[]>
  readonly add: (id: string) => Call
  readonly remove: (id: string) => Call
  readonly none: ComponentChildren
}

/** Users of a group, or groups of a user: each can be removed, and others added. */
export function Members({ title, noun, label, members, choices, add, remove, none }: MembersProps) {
  const [leaving, setLeaving] = useState<Member>()
  const [isAdding, setAdding] = useState(false)
  return (
    <section>
      <h2>{title}</h2>
      {members.length === 0 && <Empty>{none}</Empty>}
      <ul class="plain-list members">
        {members.map((member) => (
          <li key={member.id}>
            <a href={member.href}>{member.title}</a>
            <button type="button" class="plain" onClick={() => setLeaving(member)}>
              Remove<span class="unseen"> {member.title}</span>
            </button>
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => setAdding(true)}>
        Add a {noun}
      </button>
      {isAdding && (
        <CallDialog
          title={`Add a ${noun}`}
          about="It takes effect with the next token of the user."
          fields={[{ name: 'member', label, isRequired: true, choices }]}
          call={({ member = '' }) => add(member as string)} // a field with choices has a text
          submit="Add"
          close={() => setAdding(false)}
          done={() => tell(`The ${noun} is added.`)}
        />
      )}
      {leaving !== undefined && (
        <CallDialog
          title={`Remove ${leaving.title}`}
          about="It takes effect with the next token of the user."
          fields={[]}
          call={() => remove(leaving.id)}
          submit="Remove"
          close={() => setLeaving(undefined)}
          done={() => tell(`The ${noun} is removed.`)}
        />
      )}
    </section>
  )
}
