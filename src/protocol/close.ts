// What the server closes a socket with. Apart from the frames' schemas, so that a page need not carry the schema library.
export const CLOSE_SLOW = 4408;
export const CLOSE_UNAUTHORIZED = 4401;
export const CLOSE_BAD_FRAME = 4400;
export const CLOSE_SHUTTING_DOWN = 1012;
