/** `1 key`, `2 keys`. @param many the plural, if it is not `one` with an s */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
