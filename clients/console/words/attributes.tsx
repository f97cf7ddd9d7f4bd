import type { ComponentChildren } from 'preact'
import { When } from './when.tsx'

export const isTime = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)

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
            <dd>{isTime(value) ? <When time={value} /> : value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
