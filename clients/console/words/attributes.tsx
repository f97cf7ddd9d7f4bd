import type { ComponentChildren } from 'preact'
import { isId, WithCopy } from './copied.tsx'
import { When } from './when.tsx'

export const isTime = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)

const shown = (value: ComponentChildren): ComponentChildren => {
  if (isTime(value)) return <When time={value} />
  return isId(value) ? <WithCopy text={value} /> : value
}

/** A label with a text, a time, or other content. */
export type AttributeRow = readonly [label: string, value: ComponentChildren]

/** Non-empty attributes of a resource. */
export function Attributes({
  title = 'Attributes',
  rows,
}: {
  readonly title?: string
  readonly rows: readonly AttributeRow[]
}) {
  return (
    <section>
      <h2>{title}</h2>
      <AttributeList rows={rows} />
    </section>
  )
}

export function AttributeList({ rows }: { readonly rows: readonly AttributeRow[] }) {
  return (
    <dl class="attributes">
      {rows.map(([label, value]) =>
        value === undefined || value === null || value === '' ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{shown(value)}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
