const number = new Intl.NumberFormat('en')

/** `100,000`. */
export const count = (value: number): string => number.format(value)

/** `1 key`, `2 keys`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`
