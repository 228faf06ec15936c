// Placeholder until the composition root is here.
console.log(`holdfast ${process.argv.slice(2).join(" ")}`.trim());

export {};
